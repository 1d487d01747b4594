#include "server/authorization/node_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/object.h"

namespace coppice::server {
namespace {

constexpr std::string_view kStoredPods = "/pods";
constexpr size_t kChangesAtATime = 1000;

std::string KeyIn(std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}", ns, name);
}

// Whether a persistent volume's driver gets the secret.
bool UsesSecret(const json::Value& volume, std::string_view ns, std::string_view name) {
  const json::Value& spec = volume["spec"];
  const auto is = [&](const json::Value& reference) {
    // Some drivers take secrets from the namespace of the claim.
    const std::string_view in =
        reference["namespace"].AsString(spec["claimRef"]["namespace"].AsString());
    return !name.empty() && reference["name"].AsString() == name && in == ns;
  };
  for (const char* field :
       {"controllerPublishSecretRef", "nodeStageSecretRef", "nodePublishSecretRef",
        "controllerExpandSecretRef", "nodeExpandSecretRef"}) {
    if (is(spec["csi"][field])) return true;
  }
  for (const char* kind :
       {"cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"}) {
    if (is(spec[kind]["secretRef"])) return true;
  }
  const json::Value& azure = spec["azureFile"];
  return azure["secretName"].AsString() == name && !name.empty() &&
         azure["secretNamespace"].AsString(spec["claimRef"]["namespace"].AsString()) == ns;
}

}  // namespace

bool NodeGraph::HasPod(std::string_view node, const std::string& ns,
                       const std::string& name) const {
  const store::VersionPtr pod = store_.Get(kStoredPods, KeyIn(ns, name));
  return pod && pod->value()["spec"]["nodeName"].AsString() == node;
}

bool NodeGraph::NeedsSecret(std::string_view node, const std::string& ns, const std::string& name) {
  if (AnyPod(node, ns,
             [&](const auto&, const PodReferences& pod) { return pod.secrets.contains(name); })) {
    return true;
  }
  return AnyPod(node, "", [&](const std::string& pod_ns, const PodReferences& pod) {
    return std::ranges::any_of(pod.volume_claims, [&](const std::string& claim) {
      return VolumeNeedsSecret(pod_ns, claim, ns, name);
    });
  });
}

bool NodeGraph::NeedsConfigMap(std::string_view node, const std::string& ns,
                               const std::string& name) {
  return AnyPod(node, ns, [&](const auto&, const PodReferences& pod) {
    return pod.config_maps.contains(name);
  });
}

bool NodeGraph::NeedsVolumeClaim(std::string_view node, const std::string& ns,
                                 const std::string& name) {
  return AnyPod(node, ns, [&](const auto&, const PodReferences& pod) {
    return pod.volume_claims.contains(name);
  });
}

bool NodeGraph::NeedsVolume(std::string_view node, const std::string& name) {
  const store::VersionPtr volume = store_.Get("/persistentvolumes", name);
  if (!volume) return false;
  const json::Value& claim = volume->value()["spec"]["claimRef"];
  if (!claim.IsObject()) return false;
  return NeedsVolumeClaim(node, claim["namespace"].ToString(), claim["name"].ToString());
}

bool NodeGraph::NeedsResourceClaim(std::string_view node, const std::string& ns,
                                   const std::string& name) {
  return AnyPod(node, ns, [&](const auto&, const PodReferences& pod) {
    return pod.resource_claims.contains(name);
  });
}

bool NodeGraph::NeedsServiceAccount(std::string_view node, const std::string& ns,
                                    const std::string& name) {
  return AnyPod(node, ns,
                [&](const auto&, const PodReferences& pod) { return pod.service_account == name; });
}

bool NodeGraph::VolumeNeedsSecret(const std::string& ns, const std::string& claim,
                                  const std::string& secret_ns, const std::string& secret) const {
  const store::VersionPtr found = store_.Get("/persistentvolumeclaims", KeyIn(ns, claim));
  if (!found) return false;
  const store::VersionPtr volume =
      store_.Get("/persistentvolumes", found->value()["spec"]["volumeName"].ToString());
  if (!volume) return false;
  // Anyone may write the name of a volume into a claim: the volume says whose it is.
  const json::Value& owner = volume->value()["spec"]["claimRef"];
  return owner["namespace"].AsString() == ns && owner["name"].AsString() == claim &&
         UsesSecret(volume->value(), secret_ns, secret);
}

template <typename Wanted>
bool NodeGraph::AnyPod(std::string_view node, std::string_view ns, const Wanted& wanted) {
  std::lock_guard lock(mutex_);
  Follow();
  const auto pods = nodes_.find(node);
  if (pods == nodes_.end()) return false;
  return std::ranges::any_of(pods->second, [&](const auto& pod) {
    const std::string pod_ns = pod.first.substr(0, pod.first.find('/'));
    return (ns.empty() || ns == pod_ns) && wanted(pod_ns, pod.second);
  });
}

void NodeGraph::Follow() {
  if (revision_ == 0) return Rebuild();
  while (true) {
    const auto log = store_.ReadLog(kStoredPods, revision_, kChangesAtATime);
    if (!log) return Rebuild();
    for (const store::Change& change : log->changes) {
      if (change.previous) Forget(change.previous);
      if (!change.deleted) Put(change.current);
    }
    revision_ = log->upto;
    if (log->changes.size() < kChangesAtATime) return;
  }
}

void NodeGraph::Rebuild() {
  nodes_.clear();
  const auto pods = store_.List(kStoredPods, {});
  if (!pods) return;
  for (const store::VersionPtr& pod : pods->items) Put(pod);
  revision_ = pods->revision;
}

void NodeGraph::Put(const store::VersionPtr& pod) {
  const std::string node = pod->value()["spec"]["nodeName"].ToString();
  // A kubelet makes mirror pods itself, and could name anything in them.
  if (node.empty() || IsMirrorPod(pod->value())) return;
  nodes_[node].insert_or_assign(pod->name(), ReferencesOf(pod->value()));
}

void NodeGraph::Forget(const store::VersionPtr& pod) {
  const auto pods = nodes_.find(pod->value()["spec"]["nodeName"].AsString());
  if (pods == nodes_.end()) return;
  pods->second.erase(pod->name());
  if (pods->second.empty()) nodes_.erase(pods);
}

}  // namespace coppice::server
