#include "operator/podgang/metadata.h"

#include "operator/runtime/labels.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators::podgang {
namespace {

StringMap ToMap(const json::Value& object) {
  StringMap map;
  for (const json::Member& member : object.Members()) {
    map.emplace(member.name(), member.value.ToString());
  }
  return map;
}

void KeepGroves(const StringMap& present, StringMap& wanted) {
  for (const auto& [key, value] : present) {
    if (key.starts_with(labels::kGroveDomain)) wanted.emplace(key, value);
  }
}

}  // namespace

void SetGangMetadata(const Config& config, const api::grove::PodCliqueSet& set,
                     const backends::PodGangInfo& gang, const json::Value& backend_labels,
                     const json::Value& backend_annotations, json::Value& object) {
  StringMap labels = ToMap(gang.labels);
  if (!config.policy().LabelsGangsWithReplica()) {
    labels.erase(std::string(labels::kSetReplica));
    labels.erase(std::string(labels::kBaseGang));
  }
  for (const auto& [key, value] : DefaultLabels(set.name())) labels[key] = value;
  labels[std::string(labels::kComponent)] = "podgang";
  for (const auto& [key, value] : ToMap(backend_labels)) labels[key] = value;
  KeepGroves(LabelsOf(object), labels);

  StringMap annotations = ToMap(gang.annotations);
  // Gangs do not need kubectl's last-applied configuration, and it changes with every edit of the
  // set.
  if (!config.policy().CopiesLastAppliedToGangs())
    annotations.erase(std::string(labels::kLastApplied));
  for (const auto& [key, value] : ToMap(backend_annotations)) annotations[key] = value;
  StringMap present = AnnotationsOf(object);
  present.erase(std::string(labels::kTopologyName));
  KeepGroves(present, annotations);
  SetOwnMetadata(config, labels, annotations, object);
  SetController(object, set.object);
}

}  // namespace coppice::operators::podgang
