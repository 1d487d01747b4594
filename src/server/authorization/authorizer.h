#pragma once

#include "server/authorization/decision.h"
#include "server/authorization/node_authorizer.h"
#include "server/rbac/rbac.h"

namespace coppice::server {

// Decides whether a user may do something: what roles grant, and for kubelets what their nodes
// need. Thread-safe.
class Authorizer {
 public:
  explicit Authorizer(store::Store& store) : roles_(store), nodes_(store) {}

  Decision Allow(const User& user, const Attributes& attributes);
  // Everything that roles grant the user in a namespace ("" for cluster-wide only). What a kubelet
  // may do besides depends on each object, and cannot be listed.
  std::vector<PolicyRule> RulesFor(const User& user, const std::string& ns) {
    return roles_.RulesFor(user, ns);
  }

 private:
  RbacAuthorizer roles_;
  NodeAuthorizer nodes_;
};

}  // namespace coppice::server
