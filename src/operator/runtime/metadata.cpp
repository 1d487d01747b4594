#include "operator/runtime/metadata.h"

#include <algorithm>
#include <utility>

#include "api/edit/meta.h"
#include "api/key/meta.h"
#include "api/view/meta.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"
#include "operator/runtime/conditions.h"

namespace coppice::operators {

json::Value ToObject(const StringMap& map) {
  json::Value object = json::Value::Object();
  for (const auto& [key, value] : map) object.Set(key, value);
  return object;
}

namespace {

using MetaKey = key::meta::ObjectMeta;

view::meta::ObjectMeta Metadata(const json::Value& object) {
  return view::meta::PartialObjectMetadata(object).metadata();
}

StringMap ToMap(const json::Value& object) {
  StringMap map;
  for (const json::Member& member : object.Members()) {
    map.emplace(member.name(), member.value.ToString());
  }
  return map;
}

void SetMap(json::Value& object, std::string_view member, const StringMap& map) {
  json::Value& metadata = edit::meta::PartialObjectMetadata(object).metadata().Json();
  if (map.empty()) {
    metadata.Erase(member);
  } else {
    metadata.Set(member, ToObject(map));
  }
}

json::Value CopiedKeys(const StringMap& wanted) {
  json::Value keys = json::Value::Array();
  for (const auto& [key, value] : wanted) {
    if (!IsOperatorKey(key)) keys.Append(key);
  }
  return keys;
}

// Keeps what the object has beyond `wanted` and was not copied by us.
void KeepForeign(const StringMap& present, const json::Value& copied, StringMap& wanted) {
  const auto items = copied.Items();
  for (const auto& [key, value] : present) {
    const bool ours = std::any_of(items.begin(), items.end(),
                                  [&](const json::Value& each) { return each.AsString() == key; });
    if (!ours && !IsOperatorKey(key)) wanted.emplace(key, value);
  }
}

}  // namespace

bool IsOperatorKey(std::string_view key) {
  return key.starts_with(labels::kGroveDomain) || key == labels::kManagedBy ||
         key == labels::kPartOf || key == labels::kComponent || key == labels::kAppName;
}

void SetOwnMetadata(const Config& config, const StringMap& labels, const StringMap& annotations,
                    json::Value& object) {
  StringMap all_labels = labels, all_annotations = annotations;
  if (config.policy().KeepsForeignMetadata()) {
    const std::string_view note = kube::Annotation(object, labels::kCopiedKeys);
    const json::Value before =
        note.empty() ? json::Value() : json::Parse(note).value_or(json::Value());
    json::Value now = json::Value::Object();
    for (const auto& [member, wanted] :
         {std::pair(MetaKey::labels, &labels), std::pair(MetaKey::annotations, &annotations)}) {
      if (json::Value keys = CopiedKeys(*wanted); !keys.empty()) now.Set(member, std::move(keys));
    }
    KeepForeign(LabelsOf(object), before[MetaKey::labels], all_labels);
    KeepForeign(AnnotationsOf(object), before[MetaKey::annotations], all_annotations);
    all_annotations.erase(std::string(labels::kCopiedKeys));
    if (!now.empty()) all_annotations[std::string(labels::kCopiedKeys)] = json::Write(now);
  }
  SetLabels(object, all_labels);
  SetAnnotations(object, all_annotations);
}

void SetLabels(json::Value& object, const StringMap& labels) {
  SetMap(object, MetaKey::labels, labels);
}

void SetAnnotations(json::Value& object, const StringMap& annotations) {
  SetMap(object, MetaKey::annotations, annotations);
}

void MergeLabels(json::Value& object, const StringMap& labels) {
  StringMap merged = labels;
  merged.merge(LabelsOf(object));
  SetLabels(object, merged);
}

StringMap LabelsOf(const json::Value& object) { return ToMap(Metadata(object).labels().Json()); }

StringMap AnnotationsOf(const json::Value& object) {
  return ToMap(Metadata(object).annotations().Json());
}

base::Time CreatedAt(const json::Value& object) {
  return ReadTime(Metadata(object).creationTimestamp());
}

std::string_view ControllerUid(const json::Value& object) {
  return view::meta::OwnerReference(kube::ControllerOwner(object)).uid();
}

void SetController(json::Value& object, const json::Value& owner) {
  const std::string_view uid = kube::Uid(owner);
  if (!uid.empty() && ControllerUid(object) == uid) return;
  json::Value references = json::Value::Array();
  for (const view::meta::OwnerReference reference : Metadata(object).ownerReferences()) {
    if (!reference.controller()) references.Append(reference.Json());
  }
  references.Append(kube::MakeControllerReference(owner));
  edit::meta::PartialObjectMetadata(object).metadata().set_ownerReferences(std::move(references));
}

void EnsureFinalizer(json::Value& object, std::string_view finalizer) {
  if (kube::HasFinalizer(object, finalizer)) return;
  json::Value finalizers = Metadata(object).finalizers().Json();
  if (!finalizers.IsArray()) finalizers = json::Value::Array();
  finalizers.Append(finalizer);
  edit::meta::PartialObjectMetadata(object).metadata().set_finalizers(std::move(finalizers));
}

bool Covers(const json::Value& existing, const json::Value& wanted) {
  if (wanted.IsObject()) {
    for (const json::Member& member : wanted.Members()) {
      const json::Value* found = existing.Find(member.name());
      if (found == nullptr || !Covers(*found, member.value)) return false;
    }
    return existing.IsObject();
  }
  if (!wanted.IsArray()) return existing == wanted;
  if (existing.size() != wanted.size()) return false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!Covers(existing.At(i), wanted.At(i))) return false;
  }
  return true;
}

}  // namespace coppice::operators
