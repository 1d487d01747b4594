#include "cli/rbac.h"

#include <fmt/format.h>

#include "backends/rbac.h"
#include "cli/backend_accounts.h"
#include "cli/operator_config.h"
#include "cli/views.h"
#include "json/yaml.h"

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

}  // namespace

int RunRbac(const RbacOptions& options) {
  const auto role = Role(options);
  if (!role) return Fail(role.error());
  fmt::print("{}", json::WriteYaml(*role));
  return 0;
}

}  // namespace coppice::cli
