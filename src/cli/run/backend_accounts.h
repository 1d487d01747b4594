#pragma once

#include <string>
#include <vector>

#include "backends/framework/registry.h"

namespace coppice::cli {

// The name of a process that runs only these backends: of its role, and of the ServiceAccount that
// it is expected to have.
std::string BackendAccount(const std::vector<std::string>& ids);

// The user names of those ServiceAccounts in one namespace: for every backend that is compiled in
// or that `set` declares, enabled or not, and for several together.
std::vector<std::string> BackendUsers(const backends::BackendSet& set, const std::string& ns);

}  // namespace coppice::cli
