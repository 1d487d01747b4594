#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kube/object.h"
#include "server/authorization/node_identity.h"
#include "server/authorization/pod_references.h"
#include "server/model/errors.h"
#include "server/plugins/plugins.h"

namespace coppice::server {
namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";

std::string_view DomainOf(std::string_view label) {
  const size_t slash = label.find('/');
  return slash == std::string_view::npos ? std::string_view() : label.substr(0, slash);
}

// `domain` itself or below it.
bool IsIn(std::string_view label, std::string_view domain) {
  const std::string_view own = DomainOf(label);
  return own == domain || (own.ends_with(domain) && own[own.size() - domain.size() - 1] == '.');
}

// Kubernetes' own labels that a kubelet sets on its node.
bool IsKubeletLabel(std::string_view label) {
  static const std::set<std::string_view> labels = {"kubernetes.io/hostname",
                                                    "kubernetes.io/os",
                                                    "kubernetes.io/arch",
                                                    "topology.kubernetes.io/zone",
                                                    "topology.kubernetes.io/region",
                                                    "node.kubernetes.io/instance-type",
                                                    "beta.kubernetes.io/os",
                                                    "beta.kubernetes.io/arch",
                                                    "beta.kubernetes.io/instance-type",
                                                    "failure-domain.beta.kubernetes.io/zone",
                                                    "failure-domain.beta.kubernetes.io/region"};
  return labels.contains(label) || IsIn(label, "kubelet.kubernetes.io") ||
         IsIn(label, "node.kubernetes.io");
}

bool IsForbiddenLabel(std::string_view label) {
  if (IsIn(label, "node-restriction.kubernetes.io")) return true;
  return (IsIn(label, "kubernetes.io") || IsIn(label, "k8s.io")) && !IsKubeletLabel(label);
}

// Labels that differ and that no kubelet may change, with commas; "" for none. With one of them a
// node could attract pods that are not meant for it.
std::string ForbiddenLabels(const json::Value& now, const json::Value& old) {
  std::set<std::string> names;
  const auto add = [&names](const json::Value& labels, const json::Value& others) {
    for (const json::Member& label : labels.Members()) {
      const json::Value* other = others.Find(label.name());
      const bool same = other && *other == label.value;
      if (!same && IsForbiddenLabel(label.name())) names.emplace(label.name());
    }
  };
  add(now["metadata"]["labels"], old["metadata"]["labels"]);
  add(old["metadata"]["labels"], now["metadata"]["labels"]);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Without what a kubelet may change of a claim when it has grown the volume.
json::Value WithoutResize(json::Value claim) {
  for (const char* field : {"resourceVersion", "managedFields"}) {
    claim.Mutable("metadata").Erase(field);
  }
  json::Value& status = claim.Mutable("status");
  for (const char* field :
       {"capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"}) {
    status.Erase(field);
  }
  return claim;
}

// Kubernetes' NodeRestriction: a kubelet writes its own Node, Lease, CSINode and ResourceSlices,
// and the status of its own pods. Which objects it may read is up to the node authorizer.
class NodeRestrictionPlugin final : public AdmissionPlugin {
 public:
  explicit NodeRestrictionPlugin(Core& core) : core_(core), store_(core.store()) {}

  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override {
    return NodeOf(request.user).has_value();
  }

  // Here, and not in Validate, because what others change is not the kubelet's doing.
  base::Status Mutate(const AdmissionRequest& request, json::Value& object) override {
    return Check({request, *NodeOf(request.user), object});
  }
  base::Status Validate(const AdmissionRequest& request) override {
    if (request.operation != Operation::kDelete) return {};
    return Check({request, *NodeOf(request.user), request.object});
  }

 private:
  struct Write {
    const AdmissionRequest& request;
    const std::string node;
    const json::Value& object;

    bool Creates() const { return request.operation == Operation::kCreate; }
    bool Updates() const { return request.operation == Operation::kUpdate; }
    bool Deletes() const { return request.operation == Operation::kDelete; }
    base::Status Refuse(std::string_view why) const {
      return Forbidden(request.resource, request.key.name, why);
    }
    // With the node's name at its beginning.
    base::Status RefuseNode(std::string_view what) const {
      return Refuse(fmt::format("node \"{}\" {}", node, what));
    }
  };

  base::Status Check(const Write& write) const {
    const AdmissionRequest& request = write.request;
    if (write.node.empty()) {
      return write.Refuse(
          fmt::format("could not determine node from user \"{}\"", request.user.name));
    }
    const auto is = [&](std::string_view group, std::string_view plural) {
      return request.resource.group == group && request.resource.plural == plural;
    };
    if (is("", "pods")) return CheckPod(write);
    if (is("", "nodes")) return CheckNode(write);
    if (is("", "persistentvolumeclaims")) return CheckClaim(write);
    if (is("", "serviceaccounts")) return CheckToken(write);
    if (is("coordination.k8s.io", "leases")) return CheckLease(write);
    if (is("storage.k8s.io", "csinodes")) {
      if (request.key.name == write.node) return {};
      return write.Refuse("can only access CSINode with the same name as the requesting node");
    }
    if (is("resource.k8s.io", "resourceslices")) return CheckSlice(write);
    return {};
  }

  base::Status CheckPod(const Write& write) const {
    const AdmissionRequest& request = write.request;
    if (request.subresource == "eviction") return CheckEviction(write);
    if (request.subresource == "status") return CheckPodStatus(write);
    if (!request.subresource.empty()) {
      return write.Refuse(
          fmt::format("unexpected pod subresource \"{}\", only 'status' and 'eviction' are allowed",
                      request.subresource));
    }
    if (write.Creates()) return CheckMirrorPod(write);
    if (!write.Deletes()) {
      return write.Refuse(fmt::format(
          "unexpected operation \"UPDATE\", node \"{}\" can only create and delete mirror pods",
          write.node));
    }
    if (NodeNameOf(request.old_object) == write.node) return {};
    return write.RefuseNode("can only delete pods with spec.nodeName set to itself");
  }

  base::Status CheckMirrorPod(const Write& write) const {
    const json::Value& pod = write.object;
    if (!IsMirrorPod(pod)) {
      return write.Refuse(fmt::format(
          "pod does not have \"{}\" annotation, node \"{}\" can only create mirror pods", kMirror,
          write.node));
    }
    if (NodeNameOf(pod) != write.node) {
      return write.RefuseNode("can only create pods with spec.nodeName set to itself");
    }
    COPPICE_TRY(CheckMirrorOwner(write, pod["metadata"]["ownerReferences"]));
    const PodReferences found = ReferencesOf(pod);
    const auto refuse = [&](std::string_view what) {
      return write.RefuseNode(fmt::format("can not create pods that reference {}", what));
    };
    if (!found.service_account.empty()) return refuse("a service account");
    if (!found.secrets.empty()) return refuse("secrets");
    if (!found.config_maps.empty()) return refuse("configmaps");
    if (!found.volume_claims.empty()) return refuse("persistentvolumeclaims");
    if (!pod["spec"]["resourceClaims"].empty()) return refuse("resourceclaims");
    for (const json::Value& volume : pod["spec"]["volumes"].Items()) {
      for (const json::Value& source : volume["projected"]["sources"].Items()) {
        if (source.Has("clusterTrustBundle")) return refuse("clustertrustbundles");
        if (source.Has("serviceAccountToken")) return refuse("a service account");
      }
    }
    return {};
  }

  base::Status CheckMirrorOwner(const Write& write, const json::Value& owners) const {
    if (owners.size() > 1) {
      return write.RefuseNode("can only create pods with a single owner reference set to itself");
    }
    const json::Value none;
    const json::Value& owner = owners.size() == 1 ? owners.At(0) : none;
    if (owner["apiVersion"].AsString() != "v1" || owner["kind"].AsString() != "Node" ||
        owner["name"].AsString() != write.node) {
      return write.RefuseNode("can only create pods with an owner reference set to itself");
    }
    if (!owner["controller"].AsBool()) {
      return write.RefuseNode(
          "can only create pods with a controller owner reference set to itself");
    }
    if (owner["blockOwnerDeletion"].AsBool()) {
      return write.RefuseNode("must not set blockOwnerDeletion on an owner reference");
    }
    const store::VersionPtr node = store_.Get("/nodes", write.node);
    if (!node) return base::NotFound(fmt::format("node \"{}\" not found", write.node));
    if (kube::Uid(node->value()) == owner["uid"].AsString()) return {};
    return write.Refuse(fmt::format("node {} UID mismatch: expected {} got {}", write.node,
                                    owner["uid"].AsString(), kube::Uid(node->value())));
  }

  base::Status CheckPodStatus(const Write& write) const {
    const json::Value &old = write.request.old_object, &pod = write.object;
    if (NodeNameOf(old) != write.node) {
      return write.RefuseNode(
          "can only update pod status for pods with spec.nodeName set to itself");
    }
    if (!(old["metadata"]["labels"] == pod["metadata"]["labels"])) {
      return write.RefuseNode("cannot update labels through pod status");
    }
    // The node may read the claims that are named here.
    for (const char* field : {"resourceClaimStatuses", "extendedResourceClaimStatus"}) {
      if (!(old["status"][field] == pod["status"][field])) {
        return write.RefuseNode("cannot update resource claim statuses");
      }
    }
    return {};
  }

  base::Status CheckEviction(const Write& write) const {
    const store::VersionPtr pod = FindPod(write.request.key.ns, write.request.key.name);
    if (!pod) return base::NotFound(fmt::format("pod \"{}\" not found", write.request.key.name));
    if (NodeNameOf(pod->value()) == write.node) return {};
    return write.RefuseNode("can only evict pods with spec.nodeName set to itself");
  }

  base::Status CheckNode(const Write& write) const {
    const json::Value &now = write.object, &old = write.request.old_object;
    if (write.request.key.name != write.node) {
      return write.RefuseNode(
          fmt::format("is not allowed to modify node \"{}\"", write.request.key.name));
    }
    const std::string labels = write.Deletes() ? std::string() : ForbiddenLabels(now, old);
    if (write.Creates() && !labels.empty()) {
      return write.RefuseNode(
          fmt::format("is not allowed to set the following labels: {}", labels));
    }
    if (!labels.empty()) {
      return write.Refuse(fmt::format("is not allowed to modify labels: {}", labels));
    }
    if (!write.Updates()) return {};
    if (!(now["spec"]["taints"] == old["spec"]["taints"])) {
      return write.RefuseNode("is not allowed to modify taints");
    }
    // With an owner that does not exist it would be deleted, and could come back with other labels.
    if (!(now["metadata"]["ownerReferences"] == old["metadata"]["ownerReferences"])) {
      return write.RefuseNode("is not allowed to modify ownerReferences");
    }
    return {};
  }

  base::Status CheckClaim(const Write& write) const {
    if (write.request.subresource != "status" || !write.Updates()) {
      return write.Refuse("may only update PVC status");
    }
    if (WithoutResize(write.object) == WithoutResize(write.request.old_object)) return {};
    return write.RefuseNode(
        "is not allowed to update fields other than status.capacity and status.conditions");
  }

  base::Status CheckLease(const Write& write) const {
    if (write.request.key.ns != "kube-node-lease") {
      return write.Refuse("can only access leases in the \"kube-node-lease\" system namespace");
    }
    if (write.request.key.name == write.node) return {};
    return write.Refuse("can only access node lease with the same name as the requesting node");
  }

  base::Status CheckSlice(const Write& write) const {
    const json::Value& slice = write.Creates() ? write.object : write.request.old_object;
    if (NodeNameOf(slice) == write.node) return {};
    return write.Refuse(
        fmt::format("can only {} ResourceSlice with the same NodeName as the requesting node",
                    write.Creates() ? "create" : "delete"));
  }

  // Only for a pod that runs there, and only for an audience that the pod asks for.
  base::Status CheckToken(const Write& write) const {
    const AdmissionRequest& request = write.request;
    if (!write.Creates() || request.subresource != "token") return {};
    const json::Value& spec = write.object["spec"];
    const json::Value& bound = spec["boundObjectRef"];
    if (bound["apiVersion"].AsString() != "v1" || bound["kind"].AsString() != "Pod" ||
        bound["name"].AsString().empty()) {
      return write.Refuse("node requested token not bound to a pod");
    }
    if (bound["uid"].AsString().empty()) {
      return write.Refuse("node requested token with a pod binding without a uid");
    }
    const store::VersionPtr pod = FindPod(request.key.ns, bound["name"].AsString());
    if (!pod) {
      return base::NotFound(fmt::format("pod \"{}\" not found", bound["name"].AsString()));
    }
    if (kube::Uid(pod->value()) != bound["uid"].AsString()) {
      return write.Refuse(
          fmt::format("the UID in the bound object reference ({}) does not match the UID in "
                      "record. The object might have been deleted and then recreated",
                      bound["uid"].AsString()));
    }
    if (NodeNameOf(pod->value()) != write.node) {
      return write.Refuse("node requested token bound to a pod scheduled on a different node");
    }
    return CheckAudience(write, pod->value(), spec["audiences"]);
  }

  base::Status CheckAudience(const Write& write, const json::Value& pod,
                             const json::Value& audiences) const {
    if (audiences.size() > 1) return write.Refuse("node may only request 0 or 1 audiences");
    const std::string wanted = audiences.empty() ? std::string() : audiences.At(0).ToString();
    if (AudiencesOf(pod).contains(wanted)) return {};
    const AdmissionRequest& request = write.request;
    if (core_.authorizer().Allow(request.user, {.verb = "request-serviceaccounts-token-audience",
                                                .resource = wanted,
                                                .name = request.key.name,
                                                .ns = request.key.ns})) {
      return {};
    }
    return write.Refuse(
        fmt::format("audience \"{}\" not found in pod spec volume, {} is not authorized to request "
                    "tokens for this audience",
                    wanted, request.user.name));
  }

  // Of the pod's projected tokens, and of the drivers of its volumes.
  std::set<std::string> AudiencesOf(const json::Value& pod) const {
    std::set<std::string> audiences;
    for (const json::Value& volume : pod["spec"]["volumes"].Items()) {
      for (const json::Value& source : volume["projected"]["sources"].Items()) {
        const json::Value* token = source.Find("serviceAccountToken");
        if (token) audiences.insert((*token)["audience"].ToString());
      }
      AddDriver(volume["csi"]["driver"].AsString(), audiences);
    }
    for (const std::string& claim : ReferencesOf(pod).volume_claims) {
      const auto found =
          store_.Get("/persistentvolumeclaims", fmt::format("{}/{}", kube::Namespace(pod), claim));
      if (!found) continue;
      const auto volume =
          store_.Get("/persistentvolumes", found->value()["spec"]["volumeName"].AsString());
      if (volume) AddDriver(volume->value()["spec"]["csi"]["driver"].AsString(), audiences);
    }
    return audiences;
  }

  void AddDriver(std::string_view name, std::set<std::string>& audiences) const {
    const store::VersionPtr driver =
        name.empty() ? nullptr : store_.Get("storage.k8s.io/csidrivers", name);
    if (!driver) return;
    for (const json::Value& token : driver->value()["spec"]["tokenRequests"].Items()) {
      audiences.insert(token["audience"].ToString());
    }
  }

  static std::string_view NodeNameOf(const json::Value& object) {
    return object["spec"]["nodeName"].AsString();
  }
  store::VersionPtr FindPod(std::string_view ns, std::string_view name) const {
    return store_.GetNewest("/pods", fmt::format("{}/{}", ns, name));
  }

  const std::string name_ = "NodeRestriction";
  Core& core_;
  const store::Store& store_;
};

}  // namespace

std::shared_ptr<AdmissionPlugin> NodeRestriction(Core& core) {
  return std::make_shared<NodeRestrictionPlugin>(core);
}

}  // namespace coppice::server
