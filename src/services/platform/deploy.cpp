#include "services/platform/deploy.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/well_known.h"
#include "kube/apply.h"
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
  // Nobody wrote since, or what they wrote is none of ours.
  return applied->second.resource_version == kube::ResourceVersion(live) || Covers(live, desired);
}

base::Status Deployer::Apply(const Value& owner, const Desired& desired, const Value& live) {
  const std::string id = IdOf(desired);
  Value object = desired.object;
  object.Mutable("metadata")
      .Set("ownerReferences", Value::Array({kube::MakeControllerReference(owner)}));
  if (IsUpToDate(id, object, live)) return {};
  auto applied = client_.Patch(desired.resource, kube::KeyOf(object), kube::PatchType::kApply,
                               object, {.field_manager = kFieldManager, .force = true});
  if (!applied) return applied.error().During("applying " + id);
  std::lock_guard lock(mutex_);
  applied_[id] = {std::move(object), std::string(kube::ResourceVersion(*applied))};
  return {};
}

base::Status Deployer::Deploy(const Value& owner, const Objects& desired, const Objects& current) {
  std::set<std::string> wanted;
  for (const Desired& object : AccountsFirst(desired)) {
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
