#include "services/scheduler/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"
#include "services/common/zip.h"
#include "services/scheduler/config_file.h"
#include "services/scheduler/read/bind_requests.h"
#include "services/scheduler/read/cluster.h"
#include "services/scheduler/read/devices.h"
#include "services/scheduler/read/numa.h"
#include "services/scheduler/read/pods.h"
#include "services/scheduler/read/selectors.h"
#include "services/scheduler/read/storage.h"

namespace coppice::services::scheduler {
namespace {

constexpr std::string_view kMember = "snapshot.json";

// Durations are nanoseconds here; zero values are left out.
void ReadParameters(const json::Value& parameters, Options& options) {
  engine::Configuration& configuration = options.configuration;
  configuration.scheduler_name = parameters["schedulerName"].ToString(configuration.scheduler_name);
  configuration.queue_label_key =
      parameters["queueLabelKey"].ToString(configuration.queue_label_key);
  configuration.restrict_node_scheduling = parameters["restrictSchedulingNodes"].AsBool();
  configuration.max_consolidation_preemptees =
      static_cast<int>(parameters["maxNumberConsolidationPreemptees"].AsInt());
  configuration.schedule_csi_storage = parameters["scheduleCSIStorage"].AsBool();
  configuration.use_scheduling_signatures = parameters["useSchedulingSignatures"].AsBool();
  configuration.full_hierarchy_fairness = parameters["fullHierarchyFairness"].AsBool();
  configuration.allow_consolidating_reclaim = parameters["allowConsolidatingReclaim"].AsBool();
  configuration.default_staleness_grace =
      base::Duration(parameters["globalDefaultStalenessGracePeriod"].AsInt());
  configuration.stuck_in_releasing_threshold =
      base::Duration(parameters["stuckInReleasingThreshold"].AsInt());
  options.schedule_period = base::Duration(parameters["schedulePeriod"].AsInt());
  options.detailed_fit_errors = parameters["detailedFitErrors"].AsBool();
  options.update_pod_eviction_condition = parameters["updatePodEvictionCondition"].AsBool();
  options.status_workers = static_cast<int>(parameters["numOfStatusRecordingWorkers"].AsInt(1));
  const json::Value& partition = parameters["partitionParams"];
  options.node_pool_label_key = partition["NodePoolLabelKey"].ToString();
  options.partition_label_value = partition["NodePoolLabelValue"].ToString();
}

json::Value WriteParameters(const Options& options) {
  const engine::Configuration& configuration = options.configuration;
  json::Value out = json::Value::Object();
  const auto flag = [&](std::string_view key, bool value) {
    if (value) out.Set(key, true);
  };
  const auto number = [&](std::string_view key, int64_t value) {
    if (value != 0) out.Set(key, value);
  };
  out.Set("schedulerName", configuration.scheduler_name);
  out.Set("queueLabelKey", configuration.queue_label_key);
  out.Set("partitionParams",
          json::Value::Object({{"NodePoolLabelKey", options.node_pool_label_key},
                               {"NodePoolLabelValue", options.partition_label_value}}));
  flag("restrictSchedulingNodes", configuration.restrict_node_scheduling);
  flag("scheduleCSIStorage", configuration.schedule_csi_storage);
  flag("useSchedulingSignatures", configuration.use_scheduling_signatures);
  flag("fullHierarchyFairness", configuration.full_hierarchy_fairness);
  flag("allowConsolidatingReclaim", configuration.allow_consolidating_reclaim);
  flag("detailedFitErrors", options.detailed_fit_errors);
  flag("updatePodEvictionCondition", options.update_pod_eviction_condition);
  number("maxNumberConsolidationPreemptees", configuration.max_consolidation_preemptees);
  number("globalDefaultStalenessGracePeriod", configuration.default_staleness_grace.count());
  number("stuckInReleasingThreshold", configuration.stuck_in_releasing_threshold.count());
  number("schedulePeriod", options.schedule_period.count());
  number("numOfStatusRecordingWorkers", options.status_workers);
  return out;
}

// Bind requests that count, by pod.
std::map<std::string, const json::Value*> BindRequestsByPod(const json::Value& requests) {
  std::map<std::string, const json::Value*> out;
  for (const json::Value& request : requests.Items()) {
    if (IsFailedBindRequest(request)) continue;
    out[fmt::format("{}/{}", kube::Namespace(request), request["spec"]["podName"].AsString())] =
        &request;
  }
  return out;
}

void LoadPods(const json::Value& objects, engine::Engine& engine) {
  const auto requests = BindRequestsByPod(objects["bindRequests"]);
  PodReader reader;
  for (const json::Value& pod : objects["pods"].Items()) {
    if (pod["status"]["phase"].AsString() == "Failed") continue;
    const auto found = requests.find(kube::KeyOf(pod).ToString());
    const bool bound = !pod["spec"]["nodeName"].AsString().empty();
    if (bound || found == requests.end() || !IsBindRequestOf(*found->second, pod)) {
      engine.PutPod(reader.Read(pod, nullptr));
    } else {
      const engine::BindRequestSpec request = ReadBindRequest(*found->second);
      engine.PutPod(reader.Read(pod, &request));
    }
  }
}

void LoadGroups(const Snapshot& snapshot, engine::Engine& engine) {
  const std::string& pool_key = snapshot.options.node_pool_label_key;
  PriorityClasses classes;
  for (const json::Value& item : snapshot.objects["priorityClasses"].Items()) classes.Put(item);
  for (const json::Value& group : snapshot.objects["podGroups"].Items()) {
    if (!IsBackedOff(group, pool_key)) engine.PutPodGroup(ReadPodGroup(group, classes, pool_key));
  }
}

template <typename Function>
void ForEach(const json::Value& list, Function function) {
  for (const json::Value& item : list.Items()) function(item);
}

void Collect(const json::Value& object, base::Time& newest) {
  for (const json::Member& member : object.Members()) {
    if (member.value.IsObject()) Collect(member.value, newest);
    for (const json::Value& item : member.value.Items()) Collect(item, newest);
    if (!member.name().ends_with("Timestamp") && !member.name().ends_with("Time") &&
        !member.name().ends_with("-timestamp")) {
      continue;
    }
    if (const auto time = ReadTime(member.value)) newest = std::max(newest, *time);
  }
}

// Old files do not say what the server served; what there is of it then does.
bool ServesClaims(const json::Value& discovery, const json::Value& objects) {
  if (discovery.IsNull()) {
    return !objects["resourceClaims"].empty() || !objects["resourceSlices"].empty() ||
           !objects["deviceClasses"].empty();
  }
  const auto lists = discovery["resources"].Items();
  return std::any_of(lists.begin(), lists.end(), [](const json::Value& list) {
    const std::string_view group = list["groupVersion"].AsString();
    return group.starts_with("resource.k8s.io/v1") && !group.starts_with("resource.k8s.io/v1alpha");
  });
}

}  // namespace

base::Result<Snapshot> ReadSnapshot(std::string_view bytes) {
  std::string unpacked;
  if (bytes.starts_with("PK")) {
    COPPICE_ASSIGN(unpacked, ReadZipMember(bytes, kMember));
    bytes = unpacked;
  }
  COPPICE_ASSIGN(const json::Value document, json::Parse(bytes));
  if (!document["rawObjects"].IsObject()) {
    return base::InvalidArgument("not a snapshot: it has no rawObjects");
  }
  COPPICE_ASSIGN(ConfigFile config, ReadConfigFile(document["config"]));
  Snapshot out;
  out.options.configuration = std::move(config.configuration);
  out.usage_db = config.usage_db;
  out.objects = document["rawObjects"];
  out.discovery = document["discovery"];
  ReadParameters(document["schedulerParams"], out.options);
  out.options.configuration.dra_available = ServesClaims(out.discovery, out.objects);
  return out;
}

std::string WriteSnapshot(const Snapshot& snapshot) {
  const ConfigFile config{snapshot.options.configuration, snapshot.usage_db};
  json::Value document =
      json::Value::Object({{"config", WriteConfigFile(config)},
                           {"schedulerParams", WriteParameters(snapshot.options)},
                           {"rawObjects", snapshot.objects}});
  if (!snapshot.discovery.IsNull()) document.Set("discovery", snapshot.discovery);
  return WriteZip(kMember, json::Write(document));
}

std::vector<engine::InputProblem> FindDuplicates(const Snapshot& snapshot) {
  static constexpr std::pair<const char*, const char*> kLists[] = {
      {"nodes", "Node"}, {"queues", "Queue"}, {"podGroups", "PodGroup"}, {"pods", "Pod"}};
  std::vector<engine::InputProblem> problems;
  for (const auto& [list, kind] : kLists) {
    std::set<std::string, std::less<>> keys, uids;
    for (const json::Value& object : snapshot.objects[list].Items()) {
      const bool known = !keys.insert(kube::KeyOf(object).ToString()).second;
      const std::string_view uid = kube::Uid(object);
      const bool known_uid = !uid.empty() && !uids.emplace(uid).second;
      if (!known && !known_uid) continue;
      problems.push_back({kind, std::string(kube::Name(object)),
                          known ? "stands in the file twice; the last one counts"
                                : "has the uid of another; the last one counts"});
    }
  }
  return problems;
}

void LoadSnapshot(const Snapshot& snapshot, engine::Engine& engine) {
  const json::Value& objects = snapshot.objects;
  std::map<std::string_view, engine::NumaTopology> numa;
  ForEach(objects["nodeResourceTopologies"],
          [&](const auto& o) { numa[kube::Name(o)] = ReadNumaTopology(o); });
  ForEach(objects["nodes"], [&](const auto& o) {
    engine::NodeSpec node = ReadNode(o);
    if (const auto zones = numa.find(node.name); zones != numa.end()) node.numa = zones->second;
    engine.PutNode(node);
  });
  ForEach(objects["queues"], [&](const auto& o) { engine.PutQueue(ReadQueue(o)); });
  ForEach(objects["topologies"], [&](const auto& o) { engine.PutTopology(ReadTopology(o)); });
  ForEach(objects["configMaps"],
          [&](const auto& o) { engine.PutConfigMap(kube::Namespace(o), kube::Name(o)); });
  ForEach(objects["deviceClasses"],
          [&](const auto& o) { engine.PutDeviceClass(ReadDeviceClass(o)); });
  ForEach(objects["resourceSlices"],
          [&](const auto& o) { engine.PutResourceSlice(ReadResourceSlice(o)); });
  ForEach(objects["resourceClaims"],
          [&](const auto& o) { engine.PutResourceClaim(ReadResourceClaim(o)); });
  ForEach(objects["persistentVolumeClaims"],
          [&](const auto& o) { engine.PutVolumeClaim(ReadVolumeClaim(o)); });
  ForEach(objects["persistentVolumes"], [&](const auto& o) { engine.PutVolume(ReadVolume(o)); });
  ForEach(objects["storageClasses"],
          [&](const auto& o) { engine.PutStorageClass(ReadStorageClass(o)); });
  ForEach(objects["csiDrivers"], [&](const auto& o) { engine.PutCsiDriver(ReadCsiDriver(o)); });
  ForEach(objects["csiStorageCapacities"],
          [&](const auto& o) { engine.PutStorageCapacity(ReadStorageCapacity(o)); });
  LoadGroups(snapshot, engine);
  LoadPods(objects, engine);
}

base::Time NewestTime(const Snapshot& snapshot) {
  base::Time newest{};
  for (const json::Member& list : snapshot.objects.Members()) {
    for (const json::Value& item : list.value.Items()) Collect(item, newest);
  }
  return newest;
}

}  // namespace coppice::services::scheduler
