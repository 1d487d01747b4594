#include "services/scheduler/read/pods.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/key/core.h"
#include "json/content_hash.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/cache/packing/trim.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/scheduler/read/containers.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

// Annotations that the engine reads; others would only make pods of one template differ.
engine::Labels RelevantAnnotations(view::core::Pod pod) {
  static constexpr std::string_view kKeys[] = {
      names::kGpuFraction,          names::kGpuMemory,
      names::kGpuFractionDevices,   names::kGpuFractionContainer,
      names::kReceivedResourceType, names::kSharedGpuConfigMap,
  };
  engine::Labels out;
  const auto annotations = pod.metadata().annotations();
  for (const std::string_view key : kKeys) {
    if (annotations.Has(key)) out.emplace(key, annotations[key]);
  }
  for (const auto [key, value] : annotations) {
    if (key.starts_with(names::kMigPrefix)) out.emplace(key, value);
  }
  return out;
}

bool DiffersWithinShape(std::string_view field) {
  using Key = key::core::PodSpec;
  return field == Key::nodeName || field == Key::hostname || field == Key::schedulingGates;
}

// The name of the token's volume is drawn for each pod.
void AddAlike(const json::Value& value, json::ContentHash& key) {
  static const json::Value kAnyToken;
  if (value.IsArray()) {
    key.Add(uint64_t{value.size()});
    for (const json::Value& item : value.Items()) AddAlike(item, key);
  } else if (value.IsObject()) {
    key.Add(uint64_t{value.size()});
    for (const json::Member& member : value.Members()) {
      key.Add(member.name());
      AddAlike(member.value, key);
    }
  } else {
    key.Add(kube::IsTokenName(value.AsString()) ? kAnyToken : value);
  }
}

// What decides the shape.
json::ContentHash ShapeKey(view::core::Pod pod) {
  json::ContentHash key;
  key.Add(pod.metadata().namespace_());
  for (const json::Member& field : pod.spec().Json().Members()) {
    if (DiffersWithinShape(field.name())) continue;
    key.Add(field.name());
    AddAlike(field.value, key);
  }
  key.Add(pod.metadata().labels().Json());
  for (const auto& [name, value] : RelevantAnnotations(pod)) {
    key.Add(std::string_view(name));
    key.Add(std::string_view(value));
  }
  return key;
}

std::vector<engine::PodClaimRef> ReadClaimRefs(view::core::Pod pod) {
  std::vector<engine::PodClaimRef> out;
  for (const view::core::PodResourceClaim entry : pod.spec().resourceClaims()) {
    engine::PodClaimRef ref{std::string(entry.name()), std::string(entry.resourceClaimName()),
                            entry.has_resourceClaimTemplateName()};
    for (const auto status : pod.status().resourceClaimStatuses()) {
      if (!ref.claim_name.empty()) break;
      if (status.name() == ref.name) ref.claim_name = status.resourceClaimName();
    }
    out.push_back(std::move(ref));
  }
  return out;
}

// Also empty if it is not a list of zones.
std::vector<engine::NumaPlacement> AnnotatedNuma(view::core::Pod pod, std::string_view key) {
  const std::string_view text = pod.metadata().annotations()[key];
  if (text.empty()) return {};
  const auto list = json::Parse(text);
  if (!list) return {};
  return ReadNumaPlacement(view::List<view::kai::NumaZone>(*list));
}

void ReadNuma(view::core::Pod pod, engine::PodSpec& spec) {
  spec.numa_placement = AnnotatedNuma(pod, names::kNumaObserved);
  spec.numa_observed = !spec.numa_placement.empty();
  if (!spec.numa_observed) spec.numa_placement = AnnotatedNuma(pod, names::kNumaPredicted);
}

bool HasLegacyMig(view::core::Pod pod) {
  for (const auto [key, value] : pod.metadata().annotations()) {
    if (key.starts_with(names::kMigPrefix)) return true;
  }
  return false;
}

std::vector<engine::VolumeClaimRef> ReadVolumeClaims(view::core::PodSpec pod) {
  std::vector<engine::VolumeClaimRef> out;
  for (const view::core::Volume volume : pod.volumes()) {
    if (volume.has_persistentVolumeClaim()) {
      out.push_back({std::string(volume.persistentVolumeClaim().claimName()), false});
    } else if (volume.has_ephemeral()) {
      out.push_back({std::string(volume.name()), true});
    }
  }
  return out;
}

std::string OtherVolumes(view::core::PodSpec pod) {
  json::Value out = json::Value::Array();
  for (const view::core::Volume volume : pod.volumes()) {
    if (volume.has_configMap() || volume.has_secret() || volume.has_persistentVolumeClaim()) {
      continue;
    }
    json::Value nameless = volume.Json();
    edit::core::Volume(nameless).clear_name();
    out.Append(std::move(nameless));
  }
  return out.empty() ? "" : json::Write(out);
}

std::string CanonicalText(const json::Value& value) {
  return value.empty() ? "" : json::Write(value);
}

}  // namespace

std::vector<engine::NumaPlacement> ReadNumaPlacement(view::List<view::kai::NumaZone> list) {
  std::vector<engine::NumaPlacement> out;
  for (const view::kai::NumaZone item : list) {
    out.push_back({std::string(item.zone()), ReadResourceList(item.amount())});
  }
  return out;
}

engine::PodShape ReadPodShape(const json::Value& object) {
  const view::core::Pod pod(object);
  const view::core::PodSpec spec = pod.spec();
  engine::PodShape shape;
  shape.namespace_name = pod.metadata().namespace_();
  shape.scheduler_name = spec.schedulerName();
  shape.labels = ReadLabels(pod.metadata().labels());
  shape.annotations = RelevantAnnotations(pod);
  shape.node_selector = ReadLabels(spec.nodeSelector());
  shape.affinity = ReadAffinity(spec.affinity(), shape.labels);
  shape.tolerations = ReadTolerations(spec.tolerations());
  shape.containers = ReadContainers(spec);
  shape.overhead = ReadResourceList(spec.overhead());
  shape.volume_claims = ReadVolumeClaims(spec);
  shape.qos = QosOf(pod);
  shape.priority_class_name = spec.priorityClassName();
  shape.priority = spec.priority();
  shape.topology_spread = CanonicalText(spec.topologySpreadConstraints().Json());
  shape.other_volumes = OtherVolumes(spec);
  return shape;
}

std::optional<base::Time> ReadPlacedAt(const json::Value& object) {
  const view::core::Pod pod(object);
  const view::core::PodCondition scheduled(kube::Condition(object, "PodScheduled"));
  if (scheduled.status() == "True") {
    if (const auto time = ReadTime(scheduled.lastTransitionTime())) return time;
  }
  if (const auto started = ReadTime(pod.status().startTime())) return started;
  return ReadTime(pod.metadata().creationTimestamp());
}

engine::PodPhase ReadPodPhase(view::core::Pod pod, bool has_bind_request) {
  engine::PodPhase phase;
  phase.phase = pod.status().has_phase() ? pod.status().phase() : "Pending";
  phase.scheduling_gates = !pod.spec().schedulingGates().empty();
  phase.has_bind_request = has_bind_request;
  phase.node = pod.spec().nodeName();
  phase.deletion = ReadTime(pod.metadata().deletionTimestamp());
  return phase;
}

engine::PodSpec PodReader::Read(const json::Value& object,
                                const engine::BindRequestSpec* bind_request,
                                const std::string& taken_by) {
  const view::core::Pod pod(object);
  const engine::PodPhase phase = ReadPodPhase(pod, bind_request != nullptr);
  engine::PodSpec spec;
  spec.uid = pod.metadata().uid();
  spec.name = pod.metadata().name();
  spec.shape = ShapeOf(pod, taken_by);
  spec.pod_group = pod.metadata().annotations()[names::kPodGroupAnnotation];
  spec.sub_group = pod.metadata().labels()[names::kSubGroupLabel];
  spec.status = engine::DeriveStatus(phase);
  spec.node = phase.node;
  spec.nominated_node = pod.status().nominatedNodeName();
  spec.creation = ReadTime(pod.metadata().creationTimestamp()).value_or(base::Time{});
  spec.deletion = phase.deletion;
  spec.gpu_groups = engine::GpuGroupsFromLabels(spec.shape->labels);
  spec.claims = ReadClaimRefs(pod);
  ReadNuma(pod, spec);
  spec.legacy_mig = HasLegacyMig(pod);
  if (bind_request) engine::ApplyBindRequest(*bind_request, spec);
  return spec;
}

std::shared_ptr<const engine::PodShape> PodReader::ShapeOf(view::core::Pod pod,
                                                           const std::string& taken_by) {
  std::weak_ptr<const engine::PodShape>& slot = shapes_[ShapeKey(pod)];
  if (auto shape = slot.lock()) return shape;
  engine::PodShape fresh = ReadPodShape(pod.Json());
  if (!taken_by.empty()) fresh.scheduler_name = taken_by;
  auto shape = std::make_shared<const engine::PodShape>(std::move(fresh));
  slot = shape;
  if (shapes_.size() > 2 * shapes_after_cleaning_ + 1024) DropUnused();
  return shape;
}

void PodReader::DropUnused() {
  std::erase_if(shapes_, [](const auto& entry) { return entry.second.expired(); });
  shapes_after_cleaning_ = shapes_.size();
}

}  // namespace coppice::services::scheduler
