#include "cli/run/backend_accounts.h"

#include <fmt/format.h>

#include <set>

namespace coppice::cli {

std::string BackendAccount(const std::vector<std::string>& ids) {
  return ids.size() == 1 ? "coppice-backend-" + ids[0] : "coppice-backends";
}

std::vector<std::string> BackendUsers(const backends::BackendSet& set, const std::string& ns) {
  std::set<std::string> accounts = {BackendAccount({})};
  for (const backends::BuiltInBackend& each : backends::BuiltInBackends()) {
    accounts.insert(BackendAccount({std::string(each.id)}));
  }
  for (const backends::BackendInstance& instance : set.instances()) {
    accounts.insert(BackendAccount({std::string(instance.backend->name())}));
  }
  std::vector<std::string> users;
  for (const std::string& account : accounts) {
    users.push_back(fmt::format("system:serviceaccount:{}:{}", ns, account));
  }
  return users;
}

}  // namespace coppice::cli
