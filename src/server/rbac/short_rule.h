#pragma once

#include <string_view>

#include "server/rbac/rbac.h"

namespace coppice::server {

// Rules written short: "verbs @ groups @ resources", or "verbs @ /paths". "-" is the core group.
//
//   ParseShortRule("get list @ - apps @ pods deployments")
PolicyRule ParseShortRule(std::string_view text);

}  // namespace coppice::server
