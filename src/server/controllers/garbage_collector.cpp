#include "server/controllers/garbage_collector.h"

#include <algorithm>

#include "base/log.h"
#include "kube/object.h"

namespace coppice::server {
namespace {

bool IsIgnored(const std::string& storage) {
  return storage == "/events" || storage == "events.k8s.io/events";
}

json::Value WithoutItems(const json::Value& list,
                         const std::function<bool(const json::Value&)>& drop) {
  json::Value kept = json::Value::Array();
  for (const json::Value& item : list.Items()) {
    if (!drop(item)) kept.Append(item);
  }
  return kept;
}

void SetOrErase(json::Value& metadata, std::string_view key, json::Value list) {
  if (list.empty()) {
    metadata.Erase(key);
  } else {
    metadata.Set(key, std::move(list));
  }
}

// Something else happened to the object: its own change brings it back here.
bool IsSettled(const base::Error& error) {
  return error.Is(base::ErrorCode::kNotFound) || error.Is(base::ErrorCode::kConflict);
}

}  // namespace

GarbageCollector::GarbageCollector(Core& core)
    : core_(core), work_([this](const std::string& uid) { return Process(uid); }) {}

void GarbageCollector::Start(kube::Executor& executor) { work_.Start(executor); }

void GarbageCollector::Observe(const std::string& storage, const store::Change& change) {
  if (IsIgnored(storage)) return;
  if (change.deleted) {
    Forget(std::string(kube::Uid(change.current->value())));
    return;
  }
  if (change.previous &&
      change.previous->value()["metadata"]["ownerReferences"] ==
          change.current->value()["metadata"]["ownerReferences"] &&
      !kube::IsDeleting(change.current->value())) {
    return;
  }
  Note(storage, change.current->value());
}

GarbageCollector::Node GarbageCollector::NodeOf(const std::string& storage,
                                                const json::Value& object) {
  Node node;
  node.storage = storage;
  node.name = kube::Name(object);
  node.ns = kube::Namespace(object);
  node.deleting = kube::IsDeleting(object);
  node.foreground = node.deleting && kube::HasFinalizer(object, "foregroundDeletion");
  node.orphan = node.deleting && kube::HasFinalizer(object, "orphan");
  for (const json::Value& owner : object["metadata"]["ownerReferences"].Items()) {
    node.owners.push_back({owner["apiVersion"].ToString(), owner["kind"].ToString(),
                           owner["name"].ToString(), owner["uid"].ToString(),
                           owner["blockOwnerDeletion"].AsBool()});
  }
  return node;
}

void GarbageCollector::Note(const std::string& storage, const json::Value& object) {
  Node node = NodeOf(storage, object);
  const std::string uid(kube::Uid(object));
  bool work = node.foreground || node.orphan;
  std::lock_guard lock(mutex_);
  Node& known = nodes_[uid];
  for (const Owner& owner : known.owners) dependents_[owner.uid].erase(uid);
  for (const Owner& owner : node.owners) {
    dependents_[owner.uid].insert(uid);
    const auto found = nodes_.find(owner.uid);
    work |= found == nodes_.end() || found->second.foreground;
  }
  known = std::move(node);
  if (work) work_.Add(uid);
}

void GarbageCollector::Forget(const std::string& uid) {
  std::lock_guard lock(mutex_);
  const auto found = nodes_.find(uid);
  if (found == nodes_.end()) return;
  for (const Owner& owner : found->second.owners) {
    dependents_[owner.uid].erase(uid);
    const auto node = nodes_.find(owner.uid);
    if (node != nodes_.end() && node->second.foreground) work_.Add(owner.uid);
  }
  nodes_.erase(found);
  const auto dependents = dependents_.find(uid);
  if (dependents == dependents_.end()) return;
  for (const std::string& dependent : dependents->second) work_.Add(dependent);
  if (dependents->second.empty()) dependents_.erase(dependents);
}

std::optional<GarbageCollector::Node> GarbageCollector::Find(const std::string& uid) const {
  std::lock_guard lock(mutex_);
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? std::nullopt : std::optional<Node>(found->second);
}

std::vector<std::string> GarbageCollector::DependentsOf(const std::string& uid) const {
  std::lock_guard lock(mutex_);
  const auto found = dependents_.find(uid);
  if (found == dependents_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

bool GarbageCollector::Process(const std::string& uid) {
  std::optional<Node> node = Find(uid);
  if (!node) return true;
  // Decisions are made on the object as it is, whatever was noted in which order.
  const std::string stored = node->ns.empty() ? node->name : node->ns + "/" + node->name;
  const store::VersionPtr version = core_.store().Get(node->storage, stored);
  if (!version || kube::Uid(version->value()) != uid) {
    Forget(uid);
    return true;
  }
  node = NodeOf(node->storage, version->value());
  if (node->foreground) return ProcessForeground(uid, *node);
  if (node->orphan) return ProcessOrphan(uid, *node);
  if (!node->deleting && !node->owners.empty()) return ProcessDependent(uid, *node);
  return true;
}

bool GarbageCollector::ProcessForeground(const std::string& uid, const Node& node) {
  bool blocked = false;
  for (const std::string& dependent : DependentsOf(uid)) {
    const std::optional<Node> child = Find(dependent);
    if (!child) continue;
    for (const Owner& owner : child->owners) blocked |= owner.uid == uid && owner.blocks;
    if (!child->deleting) work_.Add(dependent);
  }
  return blocked || DropFinalizer(node, "foregroundDeletion");
}

bool GarbageCollector::ProcessOrphan(const std::string& uid, const Node& node) {
  for (const std::string& dependent : DependentsOf(uid)) {
    const std::optional<Node> child = Find(dependent);
    if (child && !DropOwners(dependent, *child, {uid})) return false;
  }
  return DropFinalizer(node, "orphan");
}

GarbageCollector::OwnerState GarbageCollector::StateOf(const Node& dependent,
                                                       const Owner& owner) const {
  const ServedPtr served = core_.registry()->FindKind(owner.api_version, owner.kind);
  if (!served) return OwnerState::kUnknown;
  if (served->resource.namespaced && dependent.ns.empty()) return OwnerState::kUnknown;
  const store::VersionPtr version =
      core_.store().Get(served->storage, served->NameOf(dependent.ns, owner.name));
  if (!version || kube::Uid(version->value()) != owner.uid) return OwnerState::kAbsent;
  const json::Value& object = version->value();
  if (kube::IsDeleting(object) && kube::HasFinalizer(object, "foregroundDeletion")) {
    return OwnerState::kDeletingDependents;
  }
  return OwnerState::kSolid;
}

bool GarbageCollector::ProcessDependent(const std::string& uid, const Node& node) {
  bool solid = false, waiting = false;
  std::set<std::string> gone;
  for (const Owner& owner : node.owners) {
    switch (StateOf(node, owner)) {
      case OwnerState::kUnknown:
        return true;
      case OwnerState::kSolid:
        solid = true;
        break;
      case OwnerState::kDeletingDependents:
        waiting = true;
        [[fallthrough]];
      case OwnerState::kAbsent:
        gone.insert(owner.uid);
        break;
    }
  }
  if (gone.empty()) return true;
  if (solid) return DropOwners(uid, node, gone);
  const bool has_dependents = !DependentsOf(uid).empty();
  return DeleteObject(uid, node, waiting && has_dependents ? "Foreground" : "Background");
}

std::optional<Request> GarbageCollector::RequestFor(const Node& node) const {
  for (const ServedPtr& served : core_.registry()->all()) {
    if (served->storage != node.storage ||
        served->resource.ApiVersion() != served->storage_version) {
      continue;
    }
    return Request{.served = served,
                   .ns = node.ns,
                   .name = node.name,
                   .user = User::ServiceAccount("kube-system", "generic-garbage-collector"),
                   .field_manager = "kube-controller-manager"};
  }
  return std::nullopt;
}

bool GarbageCollector::DropOwners(const std::string& uid, const Node& node,
                                  const std::set<std::string>& owners) {
  const std::optional<Request> request = RequestFor(node);
  if (!request) return true;
  const auto result = core_.ModifyQuietly(*request, [&](const json::Value& current) {
    json::Value next = current;
    if (kube::Uid(current) != uid) return base::Result<json::Value>(next);
    SetOrErase(next.Mutable("metadata"), "ownerReferences",
               WithoutItems(current["metadata"]["ownerReferences"], [&](const json::Value& owner) {
                 return owners.count(owner["uid"].ToString()) > 0;
               }));
    return base::Result<json::Value>(next);
  });
  return result || IsSettled(result.error());
}

bool GarbageCollector::DropFinalizer(const Node& node, std::string_view finalizer) {
  const std::optional<Request> request = RequestFor(node);
  if (!request) return true;
  const auto result = core_.ModifyQuietly(*request, [&](const json::Value& current) {
    json::Value next = current;
    SetOrErase(next.Mutable("metadata"), "finalizers",
               WithoutItems(current["metadata"]["finalizers"],
                            [&](const json::Value& each) { return each.AsString() == finalizer; }));
    return base::Result<json::Value>(next);
  });
  return result || IsSettled(result.error());
}

bool GarbageCollector::DeleteObject(const std::string& uid, const Node& node,
                                    const std::string& propagation) {
  const std::optional<Request> request = RequestFor(node);
  if (!request) return true;
  const auto result = core_.Delete(*request, {.uid = uid, .propagation = propagation});
  if (result || IsSettled(result.error())) return true;
  base::LogWarn("garbage cannot be deleted",
                {{"object", node.ns + "/" + node.name}, {"error", result.error().ToString()}});
  return false;
}

}  // namespace coppice::server
