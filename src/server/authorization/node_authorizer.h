#pragma once

#include <string>
#include <vector>

#include "server/authorization/decision.h"
#include "server/authorization/node_graph.h"
#include "server/rbac/attributes.h"
#include "server/rbac/rbac.h"

namespace coppice::server {

// The rules of the ClusterRole system:node; see ParseShortRule.
const std::vector<const char*>& NodeRuleTexts();

// What a kubelet may do, as Kubernetes' node authorizer decides it: read its own Node, the pods
// bound to it and what those pods reference, and keep its own Lease, CSINode and ResourceSlices.
// The NodeRestriction plugin limits what it may write. Everything else is as the role system:node
// says. Thread-safe.
class NodeAuthorizer {
 public:
  explicit NodeAuthorizer(const store::Store& store);

  Decision Allow(const std::string& node, const Attributes& attributes);

 private:
  Decision AllowRelated(const std::string& node, const Attributes& attributes);
  Decision AllowRead(const std::string& node, const Attributes& attributes);
  Decision AllowGet(const std::string& node, const Attributes& attributes);
  Decision AllowClaim(const std::string& node, const Attributes& attributes);
  Decision AllowServiceAccount(const std::string& node, const Attributes& attributes);
  Decision AllowPod(const std::string& node, const Attributes& attributes);
  Decision AllowSlice(const std::string& node, const Attributes& attributes);
  bool IsRelated(const std::string& node, const Attributes& attributes);

  const store::Store& store_;
  const std::vector<PolicyRule> rules_;
  NodeGraph graph_;
};

}  // namespace coppice::server
