// Flags and wiring; every command lives in src/cli.
#include <CLI/CLI.hpp>

#include "cli/demo.h"

namespace {

using namespace coppice;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Coppice runs gangs of pods on Kubernetes."};
  app.name("coppice");
  app.require_subcommand(1);

  cli::DemoOptions demo_options;
  CLI::App* demo = app.add_subcommand("demo", "Run the whole product here and show it working");
  demo->add_flag("--exit", demo_options.exit, "End by itself; exit code 0 only if all worked");

  CLI11_PARSE(app, argc, argv);
  if (demo->parsed()) return cli::RunDemo(demo_options);
  return 0;
}
