#include "operator/podgang/metadata.h"

#include "operator/common/labels.h"
#include "operator/common/metadata.h"

namespace coppice::operators::podgang {
namespace {

StringMap ToMap(const json::Value& object) {
  StringMap map;
  for (const json::Member& member : object.Members()) {
    map.emplace(member.name(), member.value.ToString());
  }
  return map;
}

void KeepForeign(const StringMap& present, StringMap& wanted) {
  for (const auto& [key, value] : present) {
    if (key.starts_with(kGroveDomain)) wanted.emplace(key, value);
  }
}

}  // namespace

void SetGangMetadata(const Config& config, const api::grove::PodCliqueSet& set,
                     const backends::PodGangInfo& gang, const json::Value& backend_labels,
                     const json::Value& backend_annotations, json::Value& object) {
  StringMap labels = ToMap(gang.labels);
  if (config.grove_compatibility()) {
    labels.erase(std::string(kReplicaIndexLabel));
    labels.erase(std::string(kBasePodGangLabel));
  }
  for (const auto& [key, value] : DefaultLabels(set.name())) labels[key] = value;
  labels[std::string(kComponentLabel)] = "podgang";
  for (const auto& [key, value] : ToMap(backend_labels)) labels[key] = value;
  KeepForeign(LabelsOf(object), labels);
  SetLabels(object, labels);

  StringMap annotations = ToMap(gang.annotations);
  for (const auto& [key, value] : ToMap(backend_annotations)) annotations[key] = value;
  StringMap present = AnnotationsOf(object);
  present.erase(std::string(kTopologyNameAnnotation));
  KeepForeign(present, annotations);
  SetAnnotations(object, annotations);
  SetController(object, set.object);
}

}  // namespace coppice::operators::podgang
