#include "operator/runtime/writer.h"

#include <fmt/format.h>

#include "api/view/meta.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"

namespace coppice::operators {
namespace {

// A cache that does not show an object after this long has missed it coming and going.
constexpr base::Duration kLostAfter = std::chrono::seconds(5);

// Never takes an object over: one that is left from an owner of the same name is waited for, one
// of anybody else stays theirs, and one that somebody made by hand would go with its new owner.
base::Status CheckController(const json::Value& existing, const json::Value& desired) {
  const view::meta::OwnerReference theirs(kube::ControllerOwner(existing));
  const view::meta::OwnerReference ours(kube::ControllerOwner(desired));
  if (!ours || theirs.uid() == ours.uid()) return {};
  if (!theirs) {
    if (IsPartOf(existing, kube::Label(desired, labels::kPartOf))) return {};
    return base::Error(
        base::ErrorCode::kForbidden,
        fmt::format("{} {} exists and was not made for {} {}: it is left alone",
                    kube::Kind(existing), kube::Name(existing), ours.kind(), ours.name()));
  }
  const std::string message = fmt::format("{} {} is controlled by {} {}", kube::Kind(existing),
                                          kube::Name(existing), theirs.kind(), theirs.name());
  if (theirs.kind() == ours.kind() && theirs.name() == ours.name()) {
    return base::AlreadyExists(message + " of an earlier life");
  }
  return base::Error(base::ErrorCode::kForbidden, message);
}

}  // namespace

bool IsPartOf(const json::Value& object, std::string_view set) {
  return kube::Label(object, labels::kManagedBy) == labels::kOperator &&
         kube::Label(object, labels::kPartOf) == set;
}

void CreatedObjects::Remember(const kube::Resource& resource, const json::Value& object,
                              base::Instant now) {
  const std::lock_guard lock(mutex_);
  entries_[{resource.QualifiedName(), kube::KeyOf(object)}] = {object, now};
}

std::optional<json::Value> CreatedObjects::Find(const kube::Resource& resource,
                                                const api::ObjectKey& key, base::Instant now) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find({resource.QualifiedName(), key});
  if (found == entries_.end()) return std::nullopt;
  if (now - found->second.at < kLostAfter) return found->second.object;
  entries_.erase(found);
  return std::nullopt;
}

bool CreatedObjects::Any(base::Instant now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) { return now - entry.second.at >= kLostAfter; });
  return !entries_.empty();
}

void CreatedObjects::Follow(const std::shared_ptr<CreatedObjects>& created,
                            kube::Informer& informer, const kube::Resource& resource) {
  informer.AddHandler([created, name = resource.QualifiedName()](const kube::Change& change) {
    created->Forget({name, kube::KeyOf(change.object)});
  });
}

void CreatedObjects::Forget(const Id& id) {
  const std::lock_guard lock(mutex_);
  entries_.erase(id);
}

base::Result<kube::Applied> CreateOrPatchOwned(kube::Client& client, const kube::Resource& resource,
                                               const std::optional<json::Value>& existing,
                                               const json::Value& desired) {
  if (existing) {
    COPPICE_TRY(CheckController(*existing, desired));
    return kube::PatchSame(client, resource, *existing, desired);
  }
  COPPICE_ASSIGN(json::Value created, client.Create(resource, desired));
  return kube::Applied{kube::Written::kCreated, std::move(created)};
}

base::Result<kube::Applied> Writer::CreateOrPatch(const kube::Resource& resource,
                                                  const std::optional<json::Value>& existing,
                                                  const json::Value& desired) {
  if (!existing) {
    if (auto created = created_.Find(resource, kube::KeyOf(desired), now_)) {
      return kube::Applied{kube::Written::kNothing, *std::move(created)};
    }
  }
  COPPICE_ASSIGN(kube::Applied applied, CreateOrPatchOwned(client_, resource, existing, desired));
  if (applied.written == kube::Written::kCreated) {
    created_.Remember(resource, applied.object, now_);
  }
  return applied;
}

}  // namespace coppice::operators
