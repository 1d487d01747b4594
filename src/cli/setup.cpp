#include "cli/setup.h"

#include <fmt/format.h>

#include "cli/common/fail.h"
#include "cli/common/files.h"
#include "cli/install_crds.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"
#include "services/platform/setup.h"

namespace coppice::cli {
namespace {

namespace platform = services::platform;

base::Status SetUpConfig(kube::Client& client, const std::string& file) {
  if (file.empty()) return base::InvalidArgument("name the Config's file with -f");
  COPPICE_ASSIGN(const std::string text, ReadFile(file));
  COPPICE_ASSIGN(const json::Value config, json::ParseYaml(text));
  return platform::ApplyConfig(client, config);
}

base::Status SetUpTopologies(kube::Client& client) {
  COPPICE_ASSIGN(const auto copied, platform::MigrateTopologies(client));
  for (const std::string& name : copied) fmt::print("copied topology {}\n", name);
  return {};
}

base::Status RunStep(const SetupOptions& options) {
  kube::ThreadExecutor executor;
  COPPICE_ASSIGN(const auto client, Connect(options.cluster, executor));
  if (options.step == "crds") return InstallCrds(*client);
  if (options.step == "topologies") return SetUpTopologies(*client);
  if (options.step == "config") return SetUpConfig(*client, options.file);
  return platform::CleanUp(*client, options.ns);
}

}  // namespace

int RunSetup(const SetupOptions& options) {
  const base::Status done = RunStep(options);
  if (!done) return Fail(done.error());
  fmt::print("{}: done\n", options.step);
  return 0;
}

}  // namespace coppice::cli
