#include "operator/common/metadata.h"

#include "kube/object.h"

namespace coppice::operators {
namespace {

json::Value ToObject(const StringMap& map) {
  json::Value object = json::Value::Object();
  for (const auto& [key, value] : map) object.Set(key, value);
  return object;
}

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

}  // namespace

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
