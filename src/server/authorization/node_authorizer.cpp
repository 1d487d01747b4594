#include "server/authorization/node_authorizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/selectors/field_selector.h"
#include "server/rbac/short_rule.h"

namespace coppice::server {
namespace {

std::vector<PolicyRule> ParsedNodeRules() {
  std::vector<PolicyRule> rules;
  for (const char* text : NodeRuleTexts()) rules.push_back(ParseShortRule(text));
  return rules;
}

bool IsAnyOf(std::string_view verb, std::initializer_list<std::string_view> verbs) {
  return std::ranges::find(verbs, verb) != verbs.end();
}

bool IsResource(const Attributes& attributes, std::string_view group, std::string_view plural) {
  return attributes.group == group && attributes.resource == plural;
}

// A list or watch of what belongs to the node.
bool SelectsNode(const std::string& node, const Attributes& attributes) {
  const auto selector = api::FieldSelector::Parse(attributes.field_selector);
  const std::string* wanted = selector ? selector->Demanded("spec.nodeName") : nullptr;
  return wanted && *wanted == node;
}

Decision AllowNode(const std::string& node, const Attributes& attributes) {
  const std::string& verb = attributes.verb;
  // NodeRestriction limits writes to the node itself.
  if (attributes.subresource == "status") return {IsAnyOf(verb, {"update", "patch"}), ""};
  if (!attributes.subresource.empty()) return {};
  if (IsAnyOf(verb, {"create", "update", "patch"})) return {true, ""};
  if (!IsAnyOf(verb, {"get", "list", "watch"})) return {};
  if (attributes.name == node) return {true, ""};
  const std::string what = attributes.name.empty() ? "all nodes" : "'" + attributes.name + "'";
  return {false, fmt::format("node '{}' cannot read {}, only its own Node object", node, what)};
}

// An object that has the node's name. It is not known when one is created: NodeRestriction sees it.
Decision AllowOwn(const std::string& node, const Attributes& attributes, std::string_view what) {
  if (!IsAnyOf(attributes.verb, {"get", "create", "update", "patch", "delete"})) {
    return {false, fmt::format("can only get, create, update, patch, or delete a {}", what)};
  }
  if (!attributes.subresource.empty()) {
    return {false, fmt::format("cannot authorize {} subresources", what)};
  }
  if (attributes.verb != "create" && attributes.name != node) {
    return {false,
            fmt::format("can only access {} with the same name as the requesting node", what)};
  }
  return {true, ""};
}

}  // namespace

const std::vector<const char*>& NodeRuleTexts() {
  static const std::vector<const char*> texts = {
      "create @ authentication.k8s.io @ tokenreviews",
      "create @ authorization.k8s.io @ localsubjectaccessreviews subjectaccessreviews",
      "get list watch @ - @ services",
      "create get list watch @ - @ nodes",
      "patch update @ - @ nodes/status",
      "patch update @ - @ nodes",
      "create patch update @ - events.k8s.io @ events",
      "get list watch @ - @ pods",
      "create delete @ - @ pods",
      "patch update @ - @ pods/status",
      "create @ - @ pods/eviction",
      "get list watch @ - @ configmaps secrets",
      "get @ - @ persistentvolumeclaims persistentvolumes",
      "get @ - @ endpoints",
      "create get list watch @ certificates.k8s.io @ certificatesigningrequests",
      "create delete get patch update @ coordination.k8s.io @ leases",
      "get @ storage.k8s.io @ volumeattachments",
      "create @ - @ serviceaccounts/token",
      "get patch update @ - @ persistentvolumeclaims/status",
      "get list watch @ storage.k8s.io @ csidrivers",
      "create delete get patch update @ storage.k8s.io @ csinodes",
      "get list watch @ node.k8s.io @ runtimeclasses",
      "get @ resource.k8s.io @ resourceclaims",
      "deletecollection @ resource.k8s.io @ resourceslices",
      "get @ - @ serviceaccounts"};
  return texts;
}

NodeAuthorizer::NodeAuthorizer(const store::Store& store)
    : store_(store), rules_(ParsedNodeRules()), graph_(store) {}

Decision NodeAuthorizer::Allow(const std::string& node, const Attributes& attributes) {
  if (attributes.is_resource && !node.empty()) {
    const auto is = [&](std::string_view group, std::string_view plural) {
      return IsResource(attributes, group, plural);
    };
    if (is("", "secrets") || is("", "configmaps")) return AllowRead(node, attributes);
    if (is("", "persistentvolumeclaims")) return AllowClaim(node, attributes);
    if (is("", "persistentvolumes") || is("resource.k8s.io", "resourceclaims") ||
        is("storage.k8s.io", "volumeattachments")) {
      return AllowGet(node, attributes);
    }
    if (is("", "serviceaccounts")) return AllowServiceAccount(node, attributes);
    if (is("", "nodes")) return AllowNode(node, attributes);
    if (is("", "pods")) return AllowPod(node, attributes);
    if (is("resource.k8s.io", "resourceslices")) return AllowSlice(node, attributes);
    if (is("storage.k8s.io", "csinodes")) return AllowOwn(node, attributes, "CSINode");
    if (is("coordination.k8s.io", "leases")) {
      if (attributes.ns == "kube-node-lease") return AllowOwn(node, attributes, "node lease");
      return {false, "can only access leases in the \"kube-node-lease\" system namespace"};
    }
  }
  if (node.empty()) return {};
  return {std::ranges::any_of(rules_, [&](const auto& rule) { return rule.Allows(attributes); }),
          ""};
}

bool NodeAuthorizer::IsRelated(const std::string& node, const Attributes& attributes) {
  const std::string &ns = attributes.ns, &name = attributes.name, &plural = attributes.resource;
  const auto names_node = [&](std::string_view storage) {
    const store::VersionPtr found = store_.Get(storage, name);
    return found && found->value()["spec"]["nodeName"].AsString() == node;
  };
  if (plural == "secrets") return graph_.NeedsSecret(node, ns, name);
  if (plural == "configmaps") return graph_.NeedsConfigMap(node, ns, name);
  if (plural == "persistentvolumeclaims") return graph_.NeedsVolumeClaim(node, ns, name);
  if (plural == "persistentvolumes") return graph_.NeedsVolume(node, name);
  if (plural == "resourceclaims") return graph_.NeedsResourceClaim(node, ns, name);
  if (plural == "serviceaccounts") return graph_.NeedsServiceAccount(node, ns, name);
  if (plural == "pods") return graph_.HasPod(node, ns, name);
  if (plural == "resourceslices") return names_node("resource.k8s.io/resourceslices");
  return plural == "volumeattachments" && names_node("storage.k8s.io/volumeattachments");
}

Decision NodeAuthorizer::AllowRelated(const std::string& node, const Attributes& attributes) {
  if (attributes.name.empty()) return {false, "No Object name found"};
  if (IsRelated(node, attributes)) return {true, ""};
  return {false, fmt::format("no relationship found between node '{}' and this object", node)};
}

Decision NodeAuthorizer::AllowRead(const std::string& node, const Attributes& attributes) {
  if (!IsAnyOf(attributes.verb, {"get", "list", "watch"})) {
    return {false, "can only read resources of this type"};
  }
  if (!attributes.subresource.empty()) return {false, "cannot read subresource"};
  if (attributes.ns.empty()) return {false, "can only read namespaced object of this type"};
  return AllowRelated(node, attributes);
}

Decision NodeAuthorizer::AllowGet(const std::string& node, const Attributes& attributes) {
  if (attributes.verb != "get") return {false, "can only get individual resources of this type"};
  if (!attributes.subresource.empty()) return {false, "cannot get subresource"};
  return AllowRelated(node, attributes);
}

Decision NodeAuthorizer::AllowClaim(const std::string& node, const Attributes& attributes) {
  if (attributes.subresource != "status") return AllowGet(node, attributes);
  if (!IsAnyOf(attributes.verb, {"update", "patch"})) {
    return {false, "can only get/update/patch this type"};
  }
  return AllowRelated(node, attributes);
}

Decision NodeAuthorizer::AllowServiceAccount(const std::string& node,
                                             const Attributes& attributes) {
  if (attributes.verb == "get") return AllowGet(node, attributes);
  if (attributes.verb != "create" || attributes.name.empty()) {
    return {false, "can only create tokens for individual service accounts"};
  }
  if (attributes.subresource != "token") {
    return {false, "can only create token subresource of serviceaccount"};
  }
  return AllowRelated(node, attributes);
}

// NodeRestriction limits writes to the pods of the node.
Decision NodeAuthorizer::AllowPod(const std::string& node, const Attributes& attributes) {
  const std::string& verb = attributes.verb;
  if (attributes.subresource == "status") return {IsAnyOf(verb, {"update", "patch"}), ""};
  if (attributes.subresource == "eviction") return {verb == "create", ""};
  if (!attributes.subresource.empty()) return {};
  if (IsAnyOf(verb, {"create", "delete"})) return {true, ""};
  if (verb == "get") return AllowGet(node, attributes);
  if (!IsAnyOf(verb, {"list", "watch"})) return {};
  if (SelectsNode(node, attributes)) return {true, ""};
  if (!attributes.name.empty()) return AllowRelated(node, attributes);
  return {false, "can only list/watch pods with spec.nodeName field selector"};
}

Decision NodeAuthorizer::AllowSlice(const std::string& node, const Attributes& attributes) {
  if (!attributes.subresource.empty()) {
    return {false, "cannot authorize ResourceSlice subresources"};
  }
  if (attributes.verb == "create") return {true, ""};  // NodeRestriction sees the node.
  if (IsAnyOf(attributes.verb, {"get", "update", "patch", "delete"})) {
    return AllowRelated(node, attributes);
  }
  if (!IsAnyOf(attributes.verb, {"list", "watch", "deletecollection"})) return {};
  if (SelectsNode(node, attributes)) return {true, ""};
  return {false,
          "can only list/watch/deletecollection resourceslices with spec.nodeName field selector"};
}

}  // namespace coppice::server
