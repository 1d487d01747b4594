#include "server/authorization/authorizer.h"

#include "server/authorization/node_identity.h"

namespace coppice::server {

Decision Authorizer::Allow(const User& user, const Attributes& attributes) {
  Decision decision;
  if (const auto node = NodeOf(user)) decision = nodes_.Allow(*node, attributes);
  if (decision) return decision;
  if (const auto reason = roles_.Allow(user, attributes)) return {true, *reason};
  return decision;
}

}  // namespace coppice::server
