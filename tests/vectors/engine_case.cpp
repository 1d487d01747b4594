#include "tests/vectors/engine_case.h"

#include <chrono>
#include <cmath>

#include "tests/vectors/shapes.h"

namespace coppice::vectors {
namespace {

using engine::TaskStatus;

base::Duration Seconds(const json::Value& value) {
  return base::Duration(static_cast<int64_t>(std::llround(value.AsDouble() * 1e9)));
}

std::optional<engine::TopologyConstraint> ReadConstraint(const json::Value& value) {
  if (value.IsNull()) return std::nullopt;
  return engine::TopologyConstraint{value["topology"].ToString(), value["required"].ToString(),
                                    value["preferred"].ToString()};
}

// The tree of a case, nested, as the flat list of a pod group.
void ReadTree(const json::Value& tree, const std::string& parent,
              std::vector<engine::SubGroupSpec>& groups) {
  for (const auto& pod_set : tree["podSets"].Items()) {
    engine::SubGroupSpec group;
    group.name = pod_set["name"].ToString();
    group.parent = parent;
    group.min_members = static_cast<int>(pod_set["min"].AsInt());
    group.topology = ReadConstraint(pod_set["topology"]);
    groups.push_back(std::move(group));
  }
  for (const auto& set : tree["groups"].Items()) {
    engine::SubGroupSpec group;
    group.name = set["name"].ToString();
    group.parent = parent;
    if (set.Has("minSubGroups"))
      group.min_sub_groups = static_cast<int>(set["minSubGroups"].AsInt());
    group.topology = ReadConstraint(set["topology"]);
    groups.push_back(group);
    ReadTree(set, group.name, groups);
  }
}

engine::QueueQuota ReadQuota(const json::Value& value) {
  return {value["quota"].AsDouble(), value["limit"].AsDouble(),
          value["overQuotaWeight"].AsDouble()};
}

std::optional<base::Duration> ReadRuntime(const json::Value& value) {
  if (value.IsNumber()) return Seconds(value);
  if (!value.IsString()) return std::nullopt;
  const auto parsed = base::ParseDuration(value.AsString());
  return parsed.ok() ? std::optional(*parsed) : std::nullopt;
}

std::shared_ptr<engine::PodShape> ReadShape(const json::Value& pod,
                                            const std::string& namespace_name) {
  auto shape = std::make_shared<engine::PodShape>();
  shape->namespace_name = namespace_name;
  shape->scheduler_name = "kai-scheduler";
  shape->labels = ReadLabels(pod["labels"]);
  shape->annotations = ReadLabels(pod["annotations"]);
  // Whether a pod asks for MIG in the old way is said apart.
  if (!pod["legacyMig"].AsBool()) {
    std::erase_if(shape->annotations,
                  [](const auto& entry) { return entry.first.starts_with("nvidia.com/mig-"); });
  }
  shape->affinity = ReadAffinity(pod["affinity"]);
  const std::string qos = pod["qosClass"].ToString();
  shape->qos = qos == "Guaranteed"   ? engine::QosClass::kGuaranteed
               : qos == "BestEffort" ? engine::QosClass::kBestEffort
                                     : engine::QosClass::kBurstable;
  engine::ContainerSpec container;
  container.requests = ReadResources(pod["request"]);
  container.requests.erase("pods");
  shape->containers.push_back(std::move(container));
  for (const auto& volume : pod["volumes"].Items()) {
    const json::Value& claim = volume["persistentVolumeClaim"];
    if (!claim.IsNull()) shape->volume_claims.push_back({claim["claimName"].ToString(), false});
  }
  return shape;
}

// Names of claims that templates were turned into, by name in the pod.
std::map<std::string, std::string> ClaimStatuses(const json::Value& pod) {
  std::map<std::string, std::string> names;
  for (const auto& status : pod["resourceClaimStatuses"].Items()) {
    names[status["name"].ToString()] = status["resourceClaimName"].ToString();
  }
  return names;
}

}  // namespace

EngineCase::EngineCase(const json::Value& given) : case_(given) {
  for (const auto& action : given["actions"].Items()) actions_.push_back(action.ToString());
  rounds_ = given.Has("rounds");
  for (const auto& group : given["groups"].Items()) {
    auto& pods = groups_[group["name"].ToString()];
    for (const auto& pod : group["pods"].Items()) {
      const std::string name = pod["name"].ToString();
      pods.push_back(name);
      pods_.push_back(name);
      Carried& carried = carried_[name];
      carried.status = ReadStatus(pod["status"]);
      carried.node = pod["node"].ToString();
      for (const auto& id : pod["gpuGroups"].Items()) carried.gpu_groups.push_back(id.ToString());
    }
  }
  for (const auto& object : given["deviceObjects"].Items()) {
    if (object["kind"].AsString() != "ResourceClaim") continue;
    auto claim = ReadResourceClaim(object);
    const auto key = std::pair(claim.namespace_name, claim.name);
    claims_[key] = std::move(claim);
  }
}

std::string EngineCase::NamespaceOf(const std::string& name) const {
  for (const auto& group : case_["groups"].Items()) {
    if (group["name"].AsString() == name) return group["namespace"].ToString();
  }
  return "";
}

engine::Configuration EngineCase::ConfigurationOf() const {
  auto configuration = engine::Configuration::Defaults();
  configuration.actions = actions_;
  const json::Value& plugins = case_["plugins"];
  if (plugins.IsArray()) {
    configuration.plugins.clear();
    for (const auto& plugin : plugins.Items()) {
      configuration.plugins.push_back({plugin["name"].ToString(), ReadLabels(plugin["arguments"])});
    }
  } else if (plugins.AsString() == "default without predicates") {
    std::erase_if(configuration.plugins,
                  [](const auto& plugin) { return plugin.name == "predicates"; });
  } else if (plugins.AsString() == "default and numa") {
    configuration.plugins.push_back({"numa", {}});
  }
  configuration.max_consolidation_preemptees = -1;
  configuration.use_scheduling_signatures = false;
  configuration.assumed_gpu_memory = 100;
  // The recorder gave gangs a grace only where staleness alone was looked at.
  const bool only_stale = actions_ == std::vector<std::string>{"stalegangeviction"};
  configuration.default_staleness_grace = std::chrono::seconds(only_stale ? 60 : 0);
  return configuration;
}

engine::Engine EngineCase::Build(base::Time now) const {
  engine::Engine engine(ConfigurationOf());
  AddNodes(engine);
  AddQueues(engine, now);
  for (const auto& item : case_["topologies"].Items()) {
    engine::TopologySpec topology{item["name"].ToString(), {}};
    for (const auto& level : item["levels"].Items()) {
      topology.levels.push_back({level["nodeLabel"].ToString(), level["alias"].ToString()});
    }
    engine.PutTopology(topology);
  }
  AddDevices(engine);
  AddGroups(engine, now);
  return engine;
}

void EngineCase::AddNodes(engine::Engine& engine) const {
  for (const auto& item : case_["nodes"].Items()) {
    engine::NodeSpec node;
    node.name = item["name"].ToString();
    node.labels = ReadLabels(item["labels"]);
    if (!item["gpuMemoryKnown"].AsBool(true)) node.labels.erase("nvidia.com/gpu.memory");
    node.allocatable = ReadResources(item["allocatable"]);
    if (item.Has("maxPods")) {
      node.allocatable["pods"] = base::Quantity::FromUnits(item["maxPods"].AsInt());
    }
    if (item.Has("numa")) node.numa = ReadNuma(item["numa"]);
    engine.PutNode(node);
  }
}

void EngineCase::AddQueues(engine::Engine& engine, base::Time now) const {
  for (const auto& item : case_["queues"].Items()) {
    engine::QueueSpec queue;
    queue.name = item["name"].ToString();
    queue.parent = item["parent"].ToString();
    queue.priority = static_cast<int>(item["priority"].AsInt(100));
    queue.creation = now + Seconds(item["createdSeconds"]);
    queue.cpu = ReadQuota(item["resources"]["cpu"]);
    queue.memory = ReadQuota(item["resources"]["memory"]);
    queue.gpu = ReadQuota(item["resources"]["gpu"]);
    queue.preempt_min_runtime = ReadRuntime(item["preemptMinRuntime"]);
    queue.reclaim_min_runtime = ReadRuntime(item["reclaimMinRuntime"]);
    if (item.Has("preemptMinRuntimeSeconds")) {
      queue.preempt_min_runtime = Seconds(item["preemptMinRuntimeSeconds"]);
    }
    if (item.Has("reclaimMinRuntimeSeconds")) {
      queue.reclaim_min_runtime = Seconds(item["reclaimMinRuntimeSeconds"]);
    }
    engine.PutQueue(queue);
  }
}

void EngineCase::AddDevices(engine::Engine& engine) const {
  for (const auto& object : case_["deviceObjects"].Items()) {
    const std::string_view kind = object["kind"].AsString();
    if (kind == "DeviceClass") engine.PutDeviceClass(ReadDeviceClass(object));
    if (kind == "ResourceSlice") engine.PutResourceSlice(ReadResourceSlice(object));
  }
  for (const auto& [key, claim] : claims_) engine.PutResourceClaim(claim);
}

void EngineCase::AddGroups(engine::Engine& engine, base::Time now) const {
  for (const auto& item : case_["groups"].Items()) {
    engine::PodGroupSpec group;
    group.name = item["name"].ToString();
    group.namespace_name = item["namespace"].ToString();
    group.queue = item["queue"].ToString();
    group.priority = item["priority"].AsInt();
    group.preemptible = item["preemptibility"].AsString() != "non-preemptible";
    group.creation = now - Seconds(item["ageSeconds"]);
    if (item.Has("lastStartSeconds")) group.last_start = now - Seconds(item["lastStartSeconds"]);
    if (item.Has("staleSeconds")) group.stale_since = now - Seconds(item["staleSeconds"]);
    if (item.Has("stalenessGraceSeconds")) {
      group.staleness_grace = Seconds(item["stalenessGraceSeconds"]);
    }
    if (item.Has("preemptionDelaySeconds")) {
      group.preemption_delay = Seconds(item["preemptionDelaySeconds"]);
    }
    const json::Value& tree = item["tree"];
    group.topology = ReadConstraint(tree["topology"]);
    if (tree.Has("minSubGroups"))
      group.min_sub_groups = static_cast<int>(tree["minSubGroups"].AsInt());
    ReadTree(tree, "", group.sub_groups);
    const bool plain = group.sub_groups.size() == 1 && group.sub_groups[0].name == "default" &&
                       !group.sub_groups[0].topology;
    if (plain) {
      group.min_members = group.sub_groups[0].min_members;
      group.sub_groups.clear();
    }
    bool active = false;
    for (const auto& pod_item : item["pods"].Items()) {
      const Carried& carried = carried_.at(pod_item["name"].ToString());
      active |= carried.status == TaskStatus::kRunning || carried.status == TaskStatus::kBound ||
                carried.status == TaskStatus::kBinding;
    }
    if (later_round_) {
      group.last_start.reset();
      if (active) group.last_start = now - std::chrono::seconds(60);
    }
    engine.PutPodGroup(group);

    for (const auto& pod_item : item["pods"].Items()) {
      engine::PodSpec pod;
      pod.name = pod.uid = pod_item["name"].ToString();
      pod.shape = ReadShape(pod_item, group.namespace_name);
      pod.pod_group = group.name;
      pod.sub_group = pod_item["subGroup"].ToString();
      const Carried& carried = carried_.at(pod.name);
      pod.status = carried.status;
      pod.node = carried.node;
      pod.gpu_groups = carried.gpu_groups;
      pod.legacy_mig = pod_item["legacyMig"].AsBool();
      auto observed = pod.shape->annotations.find("kai.scheduler/numa-placement-observed");
      if (observed != pod.shape->annotations.end()) {
        pod.numa_placement = ReadNumaPlacement(observed->second);
      }
      const auto statuses = ClaimStatuses(pod_item);
      for (const auto& claim : pod_item["resourceClaims"].Items()) {
        engine::PodClaimRef ref{claim["name"].ToString(), claim["resourceClaimName"].ToString(),
                                claim.Has("resourceClaimTemplateName")};
        if (auto made = statuses.find(ref.name); ref.claim_name.empty() && made != statuses.end()) {
          ref.claim_name = made->second;
        }
        pod.claims.push_back(std::move(ref));
      }
      engine.PutPod(pod);
    }
  }
}

void EngineCase::Carry(const engine::Engine& engine) {
  later_round_ = true;
  for (const auto& group : case_["groups"].Items()) {
    const bool deleted = group["deletedWhenEvicted"].AsBool();
    for (const auto& pod : group["pods"].Items()) {
      Carried& carried = carried_.at(pod["name"].ToString());
      const auto state = engine.FindPod(pod["name"].AsString());
      if (!state) continue;
      carried = {state->status, state->node, state->gpu_groups};
      const bool back = (state->status == TaskStatus::kReleasing && !deleted) ||
                        state->status == TaskStatus::kPipelined;
      if (back) carried = {TaskStatus::kPending, "", state->gpu_groups};
      if (state->status == TaskStatus::kBinding) carried.status = TaskStatus::kRunning;
    }
  }
  for (auto& [key, claim] : claims_) {
    if (auto now = engine.FindClaim(key.first, key.second)) claim = *now;
  }
}

}  // namespace coppice::vectors
