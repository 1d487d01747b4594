#include "cli/rbac.h"

#include <fmt/format.h>

#include "backends/gangs/rbac.h"
#include "cli/common/fail.h"
#include "cli/run/backend_accounts.h"
#include "cli/run/operator_config.h"
#include "json/write.h"
#include "json/yaml/yaml.h"

namespace coppice::cli {
namespace {

base::Result<json::Value> Role(const RbacOptions& options) {
  COPPICE_ASSIGN(const operators::Config config, ReadOperatorConfig(options.config_file));
  COPPICE_ASSIGN(const auto backends, backends::BackendSet::Make(config.backends));
  for (const std::string& id : options.backends) {
    if (backends->ByName(id) == nullptr) {
      return base::InvalidArgument(fmt::format("no enabled backend is called \"{}\"", id));
    }
  }
  return backends::MakeClusterRole(*backends, BackendAccount(options.backends), options.backends);
}

// YAML with one line per rule.
int PrintForChart() {
  fmt::print("# Written by ./dev manifests, from what the backends declare.\n");
  const json::Value by_backend = backends::RulesByBackend();
  for (const json::Member& backend : by_backend.Members()) {
    fmt::print("{}:\n", backend.name());
    for (const json::Member& member : backend.value.Members()) {
      if (member.value.IsString()) {
        fmt::print("  {}: {}\n", member.name(), member.value.AsString());
        continue;
      }
      fmt::print("  {}:{}\n", member.name(), member.value.empty() ? " []" : "");
      for (const json::Value& rule : member.value.Items())
        fmt::print("  - {}\n", json::Write(rule));
    }
  }
  return 0;
}

}  // namespace

int RunRbac(const RbacOptions& options) {
  if (options.for_chart) return PrintForChart();
  const auto role = Role(options);
  if (!role) return Fail(role.error());
  fmt::print("{}", json::WriteYaml(*role));
  return 0;
}

}  // namespace coppice::cli
