#include "backends/gangs/write_plan.h"

#include <algorithm>

#include "api/edit/meta.h"
#include "api/view/meta.h"
#include "backends/framework/pods.h"
#include "backends/model/fields.h"
#include "backends/model/labels.h"
#include "backends/model/names.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr size_t kPlanHashDigits = 16;

void EraseKeys(const std::vector<std::string>& keys, Value& value) {
  if (value.IsArray()) {
    for (Value& item : value.MutableItems()) EraseKeys(keys, item);
  }
  if (!value.IsObject()) return;
  for (const std::string& key : keys) value.Erase(key);
  for (json::Member& member : value.MutableMembers()) EraseKeys(keys, member.value);
}

Value ImmutablePart(const DesiredObject& desired, const Value& object, const FieldPath& path) {
  Value part = ValueAt(object, path);
  if (!desired.editable_keys.empty()) EraseKeys(desired.editable_keys, part);
  return part;
}

std::string ImmutableHash(const DesiredObject& desired, const Value& object) {
  std::string text;
  for (const FieldPath& path : desired.immutable) {
    json::WriteTo(ImmutablePart(desired, object, path), text);
    text += '\n';
  }
  return HashHex(text, kPlanHashDigits);
}

std::string AppliedHash(const DesiredObject& desired) {
  Value ours = desired.object;
  for (const FieldPath& path : desired.create_only) EraseAt(ours, path);
  return HashHex(json::Write(ours), kPlanHashDigits);
}

bool IsUsedByPods(const DesiredObject& desired, std::span<const Value> pods) {
  for (const Value& pod : pods) {
    if (!IsLive(pod)) continue;
    if (desired.referenced_by ? desired.referenced_by(pod)
                              : Mentions(pod, kube::Name(desired.object))) {
      return true;
    }
  }
  return false;
}

// Immutable fields that differ. If there is a hash, it decides: the server may have added defaults
// below a field, or we may have stopped writing it.
std::vector<std::string> ChangedFields(const DesiredObject& desired, const Value& live) {
  const std::string_view was = kube::Annotation(live, labels::kImmutableHash);
  const std::string_view is = kube::Annotation(desired.object, labels::kImmutableHash);
  if (!was.empty() && was == is) return {};
  std::vector<std::string> changed, all;
  for (const FieldPath& path : desired.immutable) {
    const Value wanted = ImmutablePart(desired, desired.object, path);
    const Value present = ImmutablePart(desired, live, path);
    if (!HasAll(present, wanted)) changed.push_back(PathText(path));
    all.push_back(PathText(path));
  }
  return changed.empty() && !was.empty() ? all : changed;
}

// Fields that now belong to someone else keep their current value.
Value ForUpdate(const DesiredObject& desired, const Value& live) {
  Value object = desired.object;
  for (const FieldPath& path : desired.create_only) {
    const Value& present = ValueAt(live, path);
    if (present.IsNull()) {
      EraseAt(object, path);
    } else {
      SetAt(object, path, present);
    }
  }
  return object;
}

// Whether our exclusive fields contain nothing extra. Otherwise the hash detects it.
bool NothingLeft(const DesiredObject& desired, const Value& live) {
  if (!kube::Annotation(desired.object, labels::kAppliedHash).empty()) return true;
  return std::all_of(desired.exclusive.begin(), desired.exclusive.end(),
                     [&](const FieldPath& path) {
                       return HasAll(ValueAt(desired.object, path), ValueAt(live, path));
                     });
}

bool IsCurrent(const Value& live, const Value& wanted) {
  Value compared = wanted;
  // The generation alone is no reason to write: it changes with every pod reference.
  if (view::meta::PartialObjectMetadata(compared).metadata().has_annotations()) {
    edit::meta::PartialObjectMetadata(compared).metadata().annotations().Erase(
        labels::kSourceGeneration);
  }
  return HasAll(live, compared);
}

}  // namespace

DesiredObject Complete(DesiredObject desired, const Value& owner, const PodGangInfo& gang,
                       const CompatibilityPolicy& policy) {
  const edit::meta::ObjectMeta metadata =
      edit::meta::PartialObjectMetadata(desired.object).metadata();
  if (desired.owned) {
    metadata.set_ownerReferences(Value::Array({kube::MakeControllerReference(owner)}));
  }
  if (!policy.TracksGeneratedObjects()) return desired;
  metadata.labels().Json().SetDefault(labels::kManagedBy,
                                      gang.labels[labels::kManagedBy].AsString("coppice"));
  metadata.labels().Set(labels::kPodGang, Short(gang.name, kLabelValueLimit));
  const std::string applied = AppliedHash(desired);
  if (!desired.immutable.empty()) {
    const std::string hash = ImmutableHash(desired, desired.object);
    metadata.annotations().Set(labels::kImmutableHash, hash);
  }
  metadata.annotations()
      .Set(labels::kAppliedHash, applied)
      .Set(labels::kSourceGeneration, std::to_string(gang.generation));
  return desired;
}

PlannedWrite PlanWrite(DesiredObject desired, const Value& live, const PodGangInfo& gang,
                       std::span<const Value> pods) {
  PlannedWrite plan{WriteKind::kApply, std::move(desired), live, {}, {}};
  if (live.IsNull()) {
    plan.apply = plan.desired.object;
    return plan;
  }
  const bool left_behind = plan.desired.owned && !kube::IsOwnedBy(live, gang.uid);
  if (left_behind && !IsLeftBehind(live, gang)) {
    plan.kind = WriteKind::kForeign;
    return plan;
  }
  plan.changed = ChangedFields(plan.desired, live);
  // It is being deleted with the old gang, but cannot be replaced while pods use it.
  if (left_behind && kube::IsDeleting(live)) plan.changed = {"metadata.ownerReferences"};
  if (!plan.changed.empty()) {
    plan.kind = IsUsedByPods(plan.desired, pods) ? WriteKind::kBlocked : WriteKind::kReplace;
    return plan;
  }
  plan.apply = ForUpdate(plan.desired, live);
  if (IsCurrent(live, plan.apply) && NothingLeft(plan.desired, live)) {
    plan.kind = WriteKind::kNone;
    return plan;
  }
  edit::meta::PartialObjectMetadata(plan.apply)
      .metadata()
      .set_resourceVersion(kube::ResourceVersion(live));
  return plan;
}

}  // namespace coppice::backends
