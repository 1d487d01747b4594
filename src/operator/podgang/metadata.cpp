#include "operator/podgang/metadata.h"

#include "operator/common/metadata.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::podgang {
namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

StringMap ToMap(const json::Value& object) {
  StringMap map;
  for (const json::Member& member : object.Members()) {
    map.emplace(member.name(), member.value.ToString());
  }
  return map;
}

void KeepGroves(const StringMap& present, StringMap& wanted) {
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
  KeepGroves(LabelsOf(object), labels);

  StringMap annotations = ToMap(gang.annotations);
  // What kubectl applied is no business of gangs, and changes with whatever users change.
  if (!config.grove_compatibility()) annotations.erase(std::string(kLastApplied));
  for (const auto& [key, value] : ToMap(backend_annotations)) annotations[key] = value;
  StringMap present = AnnotationsOf(object);
  present.erase(std::string(kTopologyNameAnnotation));
  KeepGroves(present, annotations);
  SetOwnMetadata(config, labels, annotations, object);
  SetController(object, set.object);
}

}  // namespace coppice::operators::podgang
