#include "services/scheduler/read/pods.h"

#include <fmt/format.h>

#include "json/content_hash.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"
#include "kube/trim.h"
#include "services/names.h"
#include "services/scheduler/read/containers.h"
#include "services/scheduler/read/selectors.h"

namespace coppice::services::scheduler {
namespace {

// Annotations that the engine looks at; others differ from pod to pod for no good reason.
engine::Labels RelevantAnnotations(const json::Value& pod) {
  static constexpr std::string_view kKeys[] = {
      names::kGpuFraction,          names::kGpuMemory,
      names::kGpuFractionDevices,   names::kGpuFractionContainer,
      names::kReceivedResourceType, names::kSharedGpuConfigMap,
  };
  engine::Labels out;
  const json::Value& annotations = pod["metadata"]["annotations"];
  for (const std::string_view key : kKeys) {
    if (const json::Value* value = annotations.Find(key)) out.emplace(key, value->AsString());
  }
  for (const json::Member& member : annotations.Members()) {
    if (member.name().starts_with(names::kMigPrefix)) {
      out.emplace(member.name(), member.value.AsString());
    }
  }
  return out;
}

bool DiffersWithinShape(std::string_view field) {
  return field == "nodeName" || field == "hostname" || field == "schedulingGates";
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
json::ContentHash ShapeKey(const json::Value& pod) {
  json::ContentHash key;
  key.Add(kube::Namespace(pod));
  for (const json::Member& field : pod["spec"].Members()) {
    if (DiffersWithinShape(field.name())) continue;
    key.Add(field.name());
    AddAlike(field.value, key);
  }
  key.Add(pod["metadata"]["labels"]);
  for (const auto& [name, value] : RelevantAnnotations(pod)) {
    key.Add(std::string_view(name));
    key.Add(std::string_view(value));
  }
  return key;
}

std::vector<engine::PodClaimRef> ReadClaimRefs(const json::Value& pod) {
  std::vector<engine::PodClaimRef> out;
  for (const json::Value& entry : pod["spec"]["resourceClaims"].Items()) {
    engine::PodClaimRef ref{entry["name"].ToString(), entry["resourceClaimName"].ToString(),
                            entry.Has("resourceClaimTemplateName")};
    for (const json::Value& status : pod["status"]["resourceClaimStatuses"].Items()) {
      if (!ref.claim_name.empty()) break;
      if (status["name"].AsString() == ref.name)
        ref.claim_name = status["resourceClaimName"].ToString();
    }
    out.push_back(std::move(ref));
  }
  return out;
}

// Empty also for what is no list of zones.
std::vector<engine::NumaPlacement> AnnotatedNuma(const json::Value& pod, std::string_view key) {
  const std::string_view text = kube::Annotation(pod, key);
  const auto list = json::Parse(text);
  return !text.empty() && list ? ReadNumaPlacement(*list) : std::vector<engine::NumaPlacement>{};
}

void ReadNuma(const json::Value& pod, engine::PodSpec& spec) {
  spec.numa_placement = AnnotatedNuma(pod, names::kNumaObserved);
  spec.numa_observed = !spec.numa_placement.empty();
  if (!spec.numa_observed) spec.numa_placement = AnnotatedNuma(pod, names::kNumaPredicted);
}

bool HasLegacyMig(const json::Value& pod) {
  for (const json::Member& member : pod["metadata"]["annotations"].Members()) {
    if (member.name().starts_with(names::kMigPrefix)) return true;
  }
  return false;
}

std::vector<engine::VolumeClaimRef> ReadVolumeClaims(const json::Value& pod) {
  std::vector<engine::VolumeClaimRef> out;
  for (const json::Value& volume : pod["spec"]["volumes"].Items()) {
    if (volume.Has("persistentVolumeClaim")) {
      out.push_back({volume["persistentVolumeClaim"]["claimName"].ToString(), false});
    } else if (volume.Has("ephemeral")) {
      out.push_back({volume["name"].ToString(), true});
    }
  }
  return out;
}

std::string OtherVolumes(const json::Value& pod) {
  json::Value out = json::Value::Array();
  for (json::Value volume : pod["spec"]["volumes"].Items()) {
    if (volume.Has("configMap") || volume.Has("secret") || volume.Has("persistentVolumeClaim")) {
      continue;
    }
    volume.Erase("name");
    out.Append(std::move(volume));
  }
  return out.empty() ? "" : json::Write(out);
}

std::string CanonicalText(const json::Value& value) {
  return value.empty() ? "" : json::Write(value);
}

}  // namespace

std::vector<engine::NumaPlacement> ReadNumaPlacement(const json::Value& list) {
  std::vector<engine::NumaPlacement> out;
  for (const json::Value& item : list.Items()) {
    out.push_back({item["zone"].ToString(), ReadResourceList(item["amount"])});
  }
  return out;
}

engine::PodShape ReadPodShape(const json::Value& pod) {
  const json::Value& spec = pod["spec"];
  engine::PodShape shape;
  shape.namespace_name = kube::Namespace(pod);
  shape.scheduler_name = spec["schedulerName"].ToString();
  shape.labels = ReadLabels(pod["metadata"]["labels"]);
  shape.annotations = RelevantAnnotations(pod);
  shape.node_selector = ReadLabels(spec["nodeSelector"]);
  shape.affinity = ReadAffinity(spec["affinity"], shape.labels);
  shape.tolerations = ReadTolerations(spec["tolerations"]);
  shape.containers = ReadContainers(pod);
  shape.overhead = ReadResourceList(spec["overhead"]);
  shape.volume_claims = ReadVolumeClaims(pod);
  shape.qos = QosOf(pod);
  shape.priority_class_name = spec["priorityClassName"].ToString();
  shape.priority = spec["priority"].AsInt();
  shape.topology_spread = CanonicalText(spec["topologySpreadConstraints"]);
  shape.other_volumes = OtherVolumes(pod);
  return shape;
}

std::optional<base::Time> ReadPlacedAt(const json::Value& pod) {
  const json::Value& scheduled = kube::Condition(pod, "PodScheduled");
  if (scheduled["status"].AsString() == "True") {
    if (const auto time = ReadTime(scheduled["lastTransitionTime"])) return time;
  }
  if (const auto started = ReadTime(pod["status"]["startTime"])) return started;
  return ReadTime(pod["metadata"]["creationTimestamp"]);
}

engine::PodPhase ReadPodPhase(const json::Value& pod, bool has_bind_request) {
  engine::PodPhase phase;
  phase.phase = pod["status"]["phase"].ToString("Pending");
  phase.scheduling_gates = !pod["spec"]["schedulingGates"].empty();
  phase.has_bind_request = has_bind_request;
  phase.node = pod["spec"]["nodeName"].ToString();
  phase.deletion = ReadTime(pod["metadata"]["deletionTimestamp"]);
  return phase;
}

engine::PodSpec PodReader::Read(const json::Value& pod, const engine::BindRequestSpec* bind_request,
                                const std::string& taken_by) {
  const engine::PodPhase phase = ReadPodPhase(pod, bind_request != nullptr);
  engine::PodSpec spec;
  spec.uid = kube::Uid(pod);
  spec.name = kube::Name(pod);
  spec.shape = ShapeOf(pod, taken_by);
  spec.pod_group = kube::Annotation(pod, names::kPodGroupAnnotation);
  spec.sub_group = kube::Label(pod, names::kSubGroupLabel);
  spec.status = engine::DeriveStatus(phase);
  spec.node = phase.node;
  spec.nominated_node = pod["status"]["nominatedNodeName"].ToString();
  spec.creation = ReadTime(pod["metadata"]["creationTimestamp"]).value_or(base::Time{});
  spec.deletion = phase.deletion;
  spec.gpu_groups = engine::GpuGroupsFromLabels(spec.shape->labels);
  spec.claims = ReadClaimRefs(pod);
  ReadNuma(pod, spec);
  spec.legacy_mig = HasLegacyMig(pod);
  if (bind_request) engine::ApplyBindRequest(*bind_request, spec);
  return spec;
}

std::shared_ptr<const engine::PodShape> PodReader::ShapeOf(const json::Value& pod,
                                                           const std::string& taken_by) {
  std::weak_ptr<const engine::PodShape>& slot = shapes_[ShapeKey(pod)];
  if (auto shape = slot.lock()) return shape;
  engine::PodShape fresh = ReadPodShape(pod);
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
