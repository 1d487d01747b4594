// Load for API servers, ours and others: what ./dev bench real measures with.
#include <CLI/CLI.hpp>
#include <csignal>

#include "base/log.h"
#include "tests/real/load/load.h"

int main(int argc, char** argv) {
  using namespace coppice;
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app("Load for an API server");
  std::string kubeconfig;
  int count = 100'000;
  bool trimmed = false;
  app.add_option("--kubeconfig", kubeconfig)->required();
  app.require_subcommand(1);
  std::string only;
  CLI::App* server = app.add_subcommand("server", "Creates, binds, gets, lists, watchers");
  server->add_option("--only", only, "One part: single, creates, binds, gets, lists, watchers");
  server->callback([&] { load::MeasureServer(load::Target(kubeconfig), only); });
  CLI::App* fill = app.add_subcommand("fill", "Makes pods that look as if they ran");
  fill->add_option("--count", count);
  fill->callback([&] { load::FillWithPods(load::Target(kubeconfig), count); });
  CLI::App* informer = app.add_subcommand("informer", "Syncs the product's informer of all pods");
  informer->add_flag("--trimmed", trimmed, "Keep only what a scheduler looks at");
  informer->callback([&] {
    load::Target target(kubeconfig);
    load::MeasureInformer(target, trimmed);
  });
  load::StackLoad stack_load;
  std::string ns = "stack";
  CLI::App* nodes = app.add_subcommand("nodes", "Makes nodes of eight GPUs");
  nodes->add_option("--count", count);
  nodes->callback([&] { load::MakeNodes(load::Target(kubeconfig), count); });
  CLI::App* stack = app.add_subcommand("stack", "One-GPU pods, until the last has a node");
  stack->add_option("--count", count);
  stack->add_option("--namespace", ns, "Where to make them");
  stack->add_flag("--bare", stack_load.bare, "Bind them too");
  stack->add_option("--gang", stack_load.gang,
                    "Pods per PodGang, for grove-scheduler; 0: no gangs");
  stack->callback([&] {
    load::Target target(kubeconfig);
    load::MeasureStack(target, ns, count, stack_load);
  });
  CLI11_PARSE(app, argc, argv);
  return 0;
}
