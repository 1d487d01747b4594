#include "server/authorization/node_identity.h"

namespace coppice::server {

std::optional<std::string> NodeOf(const User& user) {
  constexpr std::string_view kPrefix = "system:node:";
  if (!user.name.starts_with(kPrefix) || !user.InGroup("system:nodes")) return std::nullopt;
  return user.name.substr(kPrefix.size());
}

}  // namespace coppice::server
