#include "services/platform/deploy.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/edit/apps.h"
#include "api/view/meta.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/object.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr const char* kFieldManager = "kai-operator";

std::string IdOf(const api::Resource& resource, const api::ObjectKey& key) {
  return fmt::format("{}/{}", resource.QualifiedName(), key.ToString());
}

std::string IdOf(const Desired& desired) {
  return IdOf(desired.resource, kube::KeyOf(desired.object));
}

// Pods are refused as long as their account does not exist.
Objects AccountsFirst(const Objects& objects) {
  Objects sorted = objects;
  std::stable_partition(sorted.begin(), sorted.end(), [](const Desired& desired) {
    return desired.resource == api::kServiceAccounts;
  });
  return sorted;
}

const Value& FindLive(const Objects& current, const Desired& desired) {
  static const Value kNone;
  for (const Desired& object : current) {
    if (object.resource == desired.resource &&
        kube::KeyOf(object.object) == kube::KeyOf(desired.object)) {
      return object.object;
    }
  }
  return kNone;
}

// An object that two services share, such as an account, is one: the fuller of the two. If they
// differ, both would overwrite it forever.
base::Result<Objects> OnePerName(const Objects& objects) {
  Objects unique;
  std::map<std::string, size_t> places;
  for (const Desired& object : objects) {
    const auto [place, first] = places.emplace(IdOf(object), unique.size());
    if (first) {
      unique.push_back(object);
    } else if (Covers(object.object, unique[place->second].object)) {
      unique[place->second] = object;
    } else if (!Covers(unique[place->second].object, object.object)) {
      return base::InvalidArgument("two services need a different " + place->first);
    }
  }
  return unique;
}

// What else deploys this object now: "" when nothing does.
std::string OtherOwner(kube::Client& client, const Value& owner, const Value& live) {
  const view::meta::OwnerReference other(kube::ControllerOwner(live));
  for (const api::Resource& kind : {api::kConfigs, api::kSchedulingShards}) {
    if (other.kind() != kind.kind || other.apiVersion() != kind.ApiVersion()) continue;
    const auto found = client.Get(kind, {"", std::string(other.name())});
    if (!found || kube::Uid(*found) == kube::Uid(owner)) return "";
    if (kube::Uid(*found) != other.uid() || kube::IsDeleting(*found)) return "";
    return fmt::format("{} {}", kind.kind, kube::Name(*found));
  }
  return "";
}

}  // namespace

bool Covers(const Value& whole, const Value& part) {
  if (part.IsObject()) {
    for (const json::Member& member : part.Members()) {
      const bool nothing =
          member.value.IsNull() || (member.value.IsObject() && member.value.empty());
      if (!Covers(whole[member.name()], member.value) && !nothing) return false;
    }
    return true;
  }
  if (!part.IsArray()) return whole == part;
  if (whole.size() != part.size()) return false;
  for (size_t i = 0; i < part.size(); ++i) {
    if (!Covers(whole.At(i), part.At(i))) return false;
  }
  return true;
}

bool Deployer::IsUpToDate(const std::string& id, const Value& desired, const Value& live) {
  if (live.IsNull()) return false;
  std::lock_guard lock(mutex_);
  const auto applied = applied_.find(id);
  if (applied == applied_.end() || applied->second.desired != desired) return false;
  // No one has written since, or only fields that are not ours.
  return applied->second.resource_version == kube::ResourceVersion(live) || Covers(live, desired);
}

base::Status Deployer::Apply(const Value& owner, const Desired& desired, const Value& live) {
  const std::string id = IdOf(desired);
  Value object = desired.object;
  // All that we deploy have the same metadata.
  edit::apps::Deployment(object).metadata().set_ownerReferences(
      Value::Array({kube::MakeControllerReference(owner)}));
  if (IsUpToDate(id, object, live)) return {};
  COPPICE_TRY(CheckFree(owner, desired, id));
  auto applied = client_.Patch(desired.resource, kube::KeyOf(object), kube::PatchType::kApply,
                               object, {.field_manager = kFieldManager, .force = true});
  if (!applied) return applied.error().During("applying " + id);
  std::lock_guard lock(mutex_);
  applied_[id] = {std::move(object), std::string(kube::ResourceVersion(*applied))};
  return {};
}

base::Status Deployer::CheckFree(const Value& owner, const Desired& desired,
                                 const std::string& id) {
  const auto live = client_.Get(desired.resource, kube::KeyOf(desired.object));
  if (live.Is(base::ErrorCode::kNotFound)) return {};
  COPPICE_TRY(live);
  const std::string other = OtherOwner(client_, owner, *live);
  if (other.empty()) return {};
  return base::InvalidArgument(fmt::format("{} belongs to {}", id, other));
}

base::Status Deployer::Deploy(const Value& owner, const Objects& desired, const Objects& current) {
  COPPICE_ASSIGN(const Objects unique, OnePerName(desired));
  std::set<std::string> wanted;
  for (const Desired& object : AccountsFirst(unique)) {
    wanted.insert(IdOf(object));
    COPPICE_TRY(Apply(owner, object, FindLive(current, object)));
  }
  for (const Desired& object : current) {
    const std::string id = IdOf(object);
    if (wanted.contains(id)) continue;
    COPPICE_TRY(kube::DeleteObject(client_, object.resource, object.object));
    std::lock_guard lock(mutex_);
    applied_.erase(id);
  }
  return {};
}

}  // namespace coppice::services::platform
