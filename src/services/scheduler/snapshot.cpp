#include "services/scheduler/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/edit/kaifiles.h"
#include "api/key/kaifiles.h"
#include "api/view/kaifiles.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"
#include "services/common/zip.h"
#include "services/scheduler/options/config_file.h"
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
void ReadParameters(view::kaifiles::SchedulerParams in, Options& options) {
  engine::Configuration& configuration = options.configuration;
  if (in.has_schedulerName()) configuration.scheduler_name = in.schedulerName();
  if (in.has_queueLabelKey()) configuration.queue_label_key = in.queueLabelKey();
  configuration.restrict_node_scheduling = in.restrictSchedulingNodes();
  configuration.max_consolidation_preemptees =
      static_cast<int>(in.maxNumberConsolidationPreemptees());
  configuration.schedule_csi_storage = in.scheduleCSIStorage();
  configuration.use_scheduling_signatures = in.useSchedulingSignatures();
  configuration.full_hierarchy_fairness = in.fullHierarchyFairness();
  configuration.allow_consolidating_reclaim = in.allowConsolidatingReclaim();
  configuration.default_staleness_grace = base::Duration(in.globalDefaultStalenessGracePeriod());
  configuration.stuck_in_releasing_threshold = base::Duration(in.stuckInReleasingThreshold());
  options.schedule_period = base::Duration(in.schedulePeriod());
  options.detailed_fit_errors = in.detailedFitErrors();
  options.update_pod_eviction_condition = in.updatePodEvictionCondition();
  options.status_workers = static_cast<int>(in.numOfStatusRecordingWorkers(1));
  options.node_pool_label_key = in.partitionParams().NodePoolLabelKey();
  options.partition_label_value = in.partitionParams().NodePoolLabelValue();
}

json::Value WriteParameters(const Options& options) {
  using Key = key::kaifiles::SchedulerParams;
  const engine::Configuration& configuration = options.configuration;
  json::Value out;
  const edit::kaifiles::SchedulerParams edit(out);
  const auto flag = [&](std::string_view key, bool value) {
    if (value) out.Set(key, true);
  };
  const auto number = [&](std::string_view key, int64_t value) {
    if (value != 0) out.Set(key, value);
  };
  edit.set_schedulerName(configuration.scheduler_name);
  edit.set_queueLabelKey(configuration.queue_label_key);
  edit.partitionParams()
      .set_NodePoolLabelKey(options.node_pool_label_key)
      .set_NodePoolLabelValue(options.partition_label_value);
  flag(Key::restrictSchedulingNodes, configuration.restrict_node_scheduling);
  flag(Key::scheduleCSIStorage, configuration.schedule_csi_storage);
  flag(Key::useSchedulingSignatures, configuration.use_scheduling_signatures);
  flag(Key::fullHierarchyFairness, configuration.full_hierarchy_fairness);
  flag(Key::allowConsolidatingReclaim, configuration.allow_consolidating_reclaim);
  flag(Key::detailedFitErrors, options.detailed_fit_errors);
  flag(Key::updatePodEvictionCondition, options.update_pod_eviction_condition);
  number(Key::maxNumberConsolidationPreemptees, configuration.max_consolidation_preemptees);
  number(Key::globalDefaultStalenessGracePeriod, configuration.default_staleness_grace.count());
  number(Key::stuckInReleasingThreshold, configuration.stuck_in_releasing_threshold.count());
  number(Key::schedulePeriod, options.schedule_period.count());
  number(Key::numOfStatusRecordingWorkers, options.status_workers);
  return out;
}

// Bind requests that count, by pod.
std::map<std::string, const json::Value*> BindRequestsByPod(
    view::List<view::kai::BindRequest> requests) {
  std::map<std::string, const json::Value*> out;
  for (const view::kai::BindRequest request : requests) {
    if (IsFailedBindRequest(request.Json())) continue;
    out[fmt::format("{}/{}", request.metadata().namespace_(), request.spec().podName())] =
        &request.Json();
  }
  return out;
}

void LoadPods(view::kaifiles::RawObjects objects, engine::Engine& engine) {
  const auto requests = BindRequestsByPod(objects.bindRequests());
  PodReader reader;
  for (const view::core::Pod pod : objects.pods()) {
    if (pod.status().phase() == "Failed") continue;
    const auto found = requests.find(kube::KeyOf(pod.Json()).ToString());
    const bool bound = !pod.spec().nodeName().empty();
    if (bound || found == requests.end() || !IsBindRequestOf(*found->second, pod.Json())) {
      engine.PutPod(reader.Read(pod.Json(), nullptr));
    } else {
      const engine::BindRequestSpec request = ReadBindRequest(*found->second);
      engine.PutPod(reader.Read(pod.Json(), &request));
    }
  }
}

template <typename Item, typename Function>
void ForEach(view::List<Item> list, Function function) {
  for (const Item item : list) function(item.Json());
}

void LoadGroups(const Snapshot& snapshot, engine::Engine& engine) {
  const std::string& pool_key = snapshot.options.node_pool_label_key;
  const view::kaifiles::RawObjects objects(snapshot.objects);
  PriorityClasses classes;
  ForEach(objects.priorityClasses(), [&](const auto& o) { classes.Put(o); });
  ForEach(objects.podGroups(), [&](const auto& o) {
    if (!IsBackedOff(o, pool_key)) engine.PutPodGroup(ReadPodGroup(o, classes, pool_key));
  });
}

void Collect(const json::Value& object, base::Time& newest) {
  for (const json::Member& member : object.Members()) {
    if (member.value.IsObject()) Collect(member.value, newest);
    for (const json::Value& item : member.value.Items()) Collect(item, newest);
    if (!member.name().ends_with("Timestamp") && !member.name().ends_with("Time") &&
        !member.name().ends_with("-timestamp")) {
      continue;
    }
    if (const auto time = ReadTime(member.value.AsString())) newest = std::max(newest, *time);
  }
}

// Old files have no discovery; then the objects in the file decide.
bool ServesClaims(const json::Value& discovery, view::kaifiles::RawObjects objects) {
  if (discovery.IsNull()) {
    return !objects.resourceClaims().empty() || !objects.resourceSlices().empty() ||
           !objects.deviceClasses().empty();
  }
  for (const auto list : view::kaifiles::Discovery(discovery).resources()) {
    const std::string_view group = list.groupVersion();
    if (group.starts_with("resource.k8s.io/v1") && !group.starts_with("resource.k8s.io/v1alpha")) {
      return true;
    }
  }
  return false;
}

}  // namespace

base::Result<Snapshot> ReadSnapshot(std::string_view bytes) {
  std::string unpacked;
  if (bytes.starts_with("PK")) {
    COPPICE_ASSIGN(unpacked, ReadZipMember(bytes, kMember));
    bytes = unpacked;
  }
  COPPICE_ASSIGN(const json::Value document, json::Parse(bytes));
  const view::kaifiles::Snapshot file(document);
  if (!file.rawObjects()) {
    return base::InvalidArgument("not a snapshot: it has no rawObjects");
  }
  COPPICE_ASSIGN(ConfigFile config, ReadConfigFile(file.config().Json()));
  Snapshot out;
  out.options.configuration = std::move(config.configuration);
  out.usage_db = config.usage_db;
  out.objects = file.rawObjects().Json();
  out.discovery = file.discovery().Json();
  ReadParameters(file.schedulerParams(), out.options);
  out.options.configuration.dra_available = ServesClaims(out.discovery, file.rawObjects());
  return out;
}

std::string WriteSnapshot(const Snapshot& snapshot) {
  const ConfigFile config{snapshot.options.configuration, snapshot.usage_db};
  json::Value document;
  const edit::kaifiles::Snapshot edit(document);
  edit.set_config(WriteConfigFile(config))
      .set_schedulerParams(WriteParameters(snapshot.options))
      .set_rawObjects(snapshot.objects);
  if (!snapshot.discovery.IsNull()) edit.set_discovery(snapshot.discovery);
  return WriteZip(kMember, json::Write(document));
}

std::vector<engine::InputProblem> FindDuplicates(const Snapshot& snapshot) {
  using Key = key::kaifiles::RawObjects;
  static constexpr std::pair<std::string_view, const char*> kLists[] = {
      {Key::nodes, "Node"},
      {Key::queues, "Queue"},
      {Key::podGroups, "PodGroup"},
      {Key::pods, "Pod"}};
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
  const view::kaifiles::RawObjects objects(snapshot.objects);
  std::map<std::string_view, engine::NumaTopology> numa;
  ForEach(objects.nodeResourceTopologies(),
          [&](const auto& o) { numa[kube::Name(o)] = ReadNumaTopology(o); });
  ForEach(objects.nodes(), [&](const auto& o) {
    engine::NodeSpec node = ReadNode(o);
    if (const auto zones = numa.find(node.name); zones != numa.end()) node.numa = zones->second;
    engine.PutNode(node);
  });
  ForEach(objects.queues(), [&](const auto& o) { engine.PutQueue(ReadQueue(o)); });
  ForEach(objects.topologies(), [&](const auto& o) { engine.PutTopology(ReadTopology(o)); });
  ForEach(objects.configMaps(),
          [&](const auto& o) { engine.PutConfigMap(kube::Namespace(o), kube::Name(o)); });
  ForEach(objects.deviceClasses(),
          [&](const auto& o) { engine.PutDeviceClass(ReadDeviceClass(o)); });
  ForEach(objects.resourceSlices(),
          [&](const auto& o) { engine.PutResourceSlice(ReadResourceSlice(o)); });
  ForEach(objects.resourceClaims(),
          [&](const auto& o) { engine.PutResourceClaim(ReadResourceClaim(o)); });
  ForEach(objects.persistentVolumeClaims(),
          [&](const auto& o) { engine.PutVolumeClaim(ReadVolumeClaim(o)); });
  ForEach(objects.persistentVolumes(), [&](const auto& o) { engine.PutVolume(ReadVolume(o)); });
  ForEach(objects.storageClasses(),
          [&](const auto& o) { engine.PutStorageClass(ReadStorageClass(o)); });
  ForEach(objects.csiDrivers(), [&](const auto& o) { engine.PutCsiDriver(ReadCsiDriver(o)); });
  ForEach(objects.csiStorageCapacities(),
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
