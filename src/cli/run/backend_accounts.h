#pragma once

#include <string>
#include <vector>

#include "backends/framework/registry.h"

namespace coppice::cli {

// What a process that runs these backends alone is called: its role, and the ServiceAccount that it
// is expected to have.
std::string BackendAccount(const std::vector<std::string>& ids);

// Those ServiceAccounts of one namespace, as the API server knows them: of every backend that this
// program knows or that `set` declares, enabled or not, and of several together.
std::vector<std::string> BackendUsers(const backends::BackendSet& set, const std::string& ns);

}  // namespace coppice::cli
