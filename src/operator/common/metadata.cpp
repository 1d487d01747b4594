#include "operator/common/metadata.h"

#include <algorithm>
#include <utility>

#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::operators {

json::Value ToObject(const StringMap& map) {
  json::Value object = json::Value::Object();
  for (const auto& [key, value] : map) object.Set(key, value);
  return object;
}

namespace {

StringMap ToMap(const json::Value& object) {
  StringMap map;
  for (const json::Member& member : object.Members()) {
    map.emplace(member.name(), member.value.ToString());
  }
  return map;
}

void SetMap(json::Value& object, std::string_view member, const StringMap& map) {
  json::Value& metadata = object.Mutable("metadata");
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

// What an object has beyond `wanted` that was not copied onto it by us.
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
         {std::pair("labels", &labels), std::pair("annotations", &annotations)}) {
      if (json::Value keys = CopiedKeys(*wanted); !keys.empty()) now.Set(member, std::move(keys));
    }
    KeepForeign(LabelsOf(object), before["labels"], all_labels);
    KeepForeign(AnnotationsOf(object), before["annotations"], all_annotations);
    all_annotations.erase(std::string(labels::kCopiedKeys));
    if (!now.empty()) all_annotations[std::string(labels::kCopiedKeys)] = json::Write(now);
  }
  SetLabels(object, all_labels);
  SetAnnotations(object, all_annotations);
}

void SetLabels(json::Value& object, const StringMap& labels) { SetMap(object, "labels", labels); }

void SetAnnotations(json::Value& object, const StringMap& annotations) {
  SetMap(object, "annotations", annotations);
}

void MergeLabels(json::Value& object, const StringMap& labels) {
  StringMap merged = labels;
  merged.merge(LabelsOf(object));
  SetLabels(object, merged);
}

StringMap LabelsOf(const json::Value& object) { return ToMap(object["metadata"]["labels"]); }

StringMap AnnotationsOf(const json::Value& object) {
  return ToMap(object["metadata"]["annotations"]);
}

void SetController(json::Value& object, const json::Value& owner) {
  if (kube::ControllerOwner(object)["uid"] == owner["metadata"]["uid"] &&
      !owner["metadata"]["uid"].IsNull()) {
    return;
  }
  json::Value references = json::Value::Array();
  for (const json::Value& reference : object["metadata"]["ownerReferences"].Items()) {
    if (!reference["controller"].AsBool()) references.Append(reference);
  }
  references.Append(kube::MakeControllerReference(owner));
  object.Mutable("metadata").Set("ownerReferences", std::move(references));
}

void EnsureFinalizer(json::Value& object, std::string_view finalizer) {
  if (kube::HasFinalizer(object, finalizer)) return;
  json::Value& finalizers = object.Mutable("metadata").Mutable("finalizers");
  if (!finalizers.IsArray()) finalizers = json::Value::Array();
  finalizers.Append(finalizer);
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
