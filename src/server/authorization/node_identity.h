#pragma once

#include <optional>
#include <string>

#include "server/model/user.h"

namespace coppice::server {

// The node that a kubelet's credentials are for: user system:node:NAME in the group system:nodes.
// Nothing for every other user.
std::optional<std::string> NodeOf(const User& user);

}  // namespace coppice::server
