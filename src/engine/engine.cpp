#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "engine/actions/actions.h"
#include "engine/actions/victim_actions.h"
#include "engine/apply.h"
#include "engine/close_cycle.h"
#include "engine/cycle/cycle_plugins.h"
#include "engine/explain/explain_job.h"
#include "engine/gpus/fragmentation.h"
#include "engine/gpus/workload.h"
#include "engine/inputs/recorder.h"
#include "engine/placement/statement.h"
#include "engine/registry.h"
#include "engine/state/cluster.h"

namespace coppice::engine {

// The cluster lives as long as the engine; a session and its users live for one cycle.
class Engine::Impl {
 public:
  explicit Impl(Configuration given)
      : configuration(std::move(given)),
        plugins(ReadPlugins(configuration)),
        cluster(configuration) {
    for (const auto& name : plugins.unknown) {
      cluster.problems().Report("Configuration", name, "there is no plugin of this name");
    }
  }

  void Open(base::Time now) {
    cluster.Refresh();
    session = std::make_unique<Session>(cluster, configuration, plugins, now);
    session->stopwatch = stopwatch;
    MarkStuck(*session);
    OpenPlugins(*session, usage);
    if (plugins.gpu_placement == Placement::kLeastFragmentation) {
      workload.FadeTo(now);
      session->fragmentation = std::make_unique<Fragmentation>(*session, workload);
    }
    allocator = std::make_unique<Allocator>(*session);
    OpenJobs(*session);
    lists = {};
    cluster.BeginCycle();
  }

  void Run(std::string_view action) {
    ActionContext context{*session, *allocator, lists};
    if (!RunNamedAction(action, context)) {
      cluster.problems().Report("Configuration", action, "there is no action of this name");
    }
  }

  CycleResult Close() {
    if (session->fragmentation) NoteWorkload();
    cluster.EndCycle();
    CycleResult result = CloseSession(*session);
    allocator.reset();
    session.reset();
    if (ledger) ledger->Settle(result);
    return result;
  }

  // Ends a cycle whose statements were all discarded, as if it had never been opened.
  void Abandon() {
    cluster.EndCycle();
    allocator.reset();
    session.reset();
  }

  // The pods beyond the gang's minimum, one step at a time, as the allocate action does.
  void PlaceSurplus(Statement& statement, const Gang& gang) {
    auto mark = statement.Mark();
    while (gang.HasPending() &&
           allocator->AllocateJob(statement, gang, cluster.node_order(), true, nullptr)) {
      mark = statement.Mark();
    }
    statement.Rollback(mark);
  }

  bool Keeps() const { return ledger || recorder != nullptr; }
  template <typename Spec>
  void Keep(const Spec& spec) {
    if (ledger) ledger->Put(spec);
    if (recorder) recorder->Put(spec);
  }
  template <typename Spec>
  void Drop(std::string_view namespace_name, std::string_view name) {
    if (ledger) ledger->Remove<Spec>(namespace_name, name);
    if (recorder) recorder->Remove<Spec>(namespace_name, name);
  }

  // What was placed is what to expect in the future, even after it is gone.
  void NoteWorkload() {
    std::vector<bool> seen(cluster.tasks().size());
    for (TaskId id : session->touched) {
      const Task& task = cluster.tasks()[id];
      const bool placed =
          task.status == TaskStatus::kAllocated || task.status == TaskStatus::kBinding;
      if (seen[id] || !placed || !Workload::Counts(cluster.ClassOf(task))) continue;
      workload.Saw(task.cls);
      seen[id] = true;
    }
  }

  Configuration configuration;
  Plugins plugins;
  Cluster cluster;
  std::map<std::string, QueueUsage> usage;
  Workload workload;
  std::function<base::Instant()> stopwatch;
  std::unique_ptr<Session> session;
  std::unique_ptr<Allocator> allocator;
  JobLists lists;
  std::unique_ptr<Ledger> ledger;  // Null unless inputs are kept.
  Recorder* recorder = nullptr;
};

Engine::Engine(Configuration configuration)
    : impl_(std::make_unique<Impl>(std::move(configuration))) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

const Configuration& Engine::configuration() const { return impl_->configuration; }

void Engine::PutNode(const NodeSpec& node) {
  impl_->Keep(node);
  impl_->cluster.PutNode(node);
}
void Engine::RemoveNode(std::string_view name) {
  impl_->Drop<NodeSpec>("", name);
  impl_->cluster.RemoveNode(name);
}
void Engine::PutPod(const PodSpec& pod) {
  impl_->Keep(pod);
  impl_->cluster.PutPod(pod);
}
void Engine::RemovePod(std::string_view uid) {
  if (impl_->ledger) impl_->ledger->RemovePod(uid);
  if (impl_->recorder) impl_->recorder->Remove<PodSpec>("", uid);
  impl_->cluster.RemovePod(uid);
}
void Engine::PutPodGroup(const PodGroupSpec& group) {
  impl_->Keep(group);
  impl_->cluster.PutPodGroup(group);
}
void Engine::RemovePodGroup(std::string_view namespace_name, std::string_view name) {
  impl_->Drop<PodGroupSpec>(namespace_name, name);
  impl_->cluster.RemovePodGroup(namespace_name, name);
}
void Engine::PutQueue(const QueueSpec& queue) {
  impl_->Keep(queue);
  impl_->cluster.PutQueue(queue);
}
void Engine::RemoveQueue(std::string_view name) {
  impl_->Drop<QueueSpec>("", name);
  impl_->cluster.RemoveQueue(name);
}

void Engine::PutTopology(const TopologySpec& topology) {
  impl_->Keep(topology);
  impl_->cluster.PutTopology(topology);
}
void Engine::RemoveTopology(std::string_view name) {
  impl_->Drop<TopologySpec>("", name);
  impl_->cluster.RemoveTopology(name);
}

void Engine::PutConfigMap(std::string_view namespace_name, std::string_view name) {
  if (impl_->Keeps()) impl_->Keep(ConfigMapSpec{std::string(namespace_name), std::string(name)});
  impl_->cluster.objects().config_maps.emplace(namespace_name, name);
}
void Engine::RemoveConfigMap(std::string_view namespace_name, std::string_view name) {
  impl_->Drop<ConfigMapSpec>(namespace_name, name);
  impl_->cluster.objects().config_maps.erase({std::string(namespace_name), std::string(name)});
}

void Engine::PutNamespace(std::string_view name, const Labels& labels) {
  if (impl_->Keeps()) impl_->Keep(NamespaceSpec{std::string(name), labels});
  impl_->cluster.objects().namespaces.insert_or_assign(std::string(name), labels);
}
void Engine::RemoveNamespace(std::string_view name) {
  impl_->Drop<NamespaceSpec>("", name);
  impl_->cluster.objects().namespaces.erase(std::string(name));
}

void Engine::PutDeviceClass(const DeviceClassSpec& device_class) {
  impl_->Keep(device_class);
  impl_->cluster.devices().PutClass(device_class);
}
void Engine::RemoveDeviceClass(std::string_view name) {
  impl_->Drop<DeviceClassSpec>("", name);
  impl_->cluster.devices().RemoveClass(name);
}
void Engine::PutResourceSlice(const ResourceSliceSpec& slice) {
  impl_->Keep(slice);
  impl_->cluster.devices().PutSlice(slice);
}
void Engine::RemoveResourceSlice(std::string_view name) {
  impl_->Drop<ResourceSliceSpec>("", name);
  impl_->cluster.devices().RemoveSlice(name);
}
void Engine::PutResourceClaim(const ResourceClaimSpec& claim) {
  impl_->Keep(claim);
  impl_->cluster.devices().PutClaim(claim);
}
void Engine::RemoveResourceClaim(std::string_view namespace_name, std::string_view name) {
  impl_->Drop<ResourceClaimSpec>(namespace_name, name);
  impl_->cluster.devices().RemoveClaim(namespace_name, name);
}

void Engine::PutVolumeClaim(const PersistentVolumeClaimSpec& claim) {
  impl_->Keep(claim);
  impl_->cluster.objects().storage.claims[{claim.namespace_name, claim.name}] = claim;
}
void Engine::RemoveVolumeClaim(std::string_view namespace_name, std::string_view name) {
  impl_->Drop<PersistentVolumeClaimSpec>(namespace_name, name);
  impl_->cluster.objects().storage.claims.erase({std::string(namespace_name), std::string(name)});
}
void Engine::PutVolume(const PersistentVolumeSpec& volume) {
  impl_->Keep(volume);
  impl_->cluster.objects().storage.volumes[volume.name] = volume;
}
void Engine::RemoveVolume(std::string_view name) {
  impl_->Drop<PersistentVolumeSpec>("", name);
  impl_->cluster.objects().storage.volumes.erase(std::string(name));
}
void Engine::PutStorageClass(const StorageClassSpec& storage_class) {
  impl_->Keep(storage_class);
  impl_->cluster.objects().storage.classes[storage_class.name] = storage_class;
}
void Engine::RemoveStorageClass(std::string_view name) {
  impl_->Drop<StorageClassSpec>("", name);
  impl_->cluster.objects().storage.classes.erase(std::string(name));
}
void Engine::PutCsiDriver(const CsiDriverSpec& driver) {
  impl_->Keep(driver);
  impl_->cluster.objects().storage.drivers[driver.name] = driver;
}
void Engine::RemoveCsiDriver(std::string_view name) {
  impl_->Drop<CsiDriverSpec>("", name);
  impl_->cluster.objects().storage.drivers.erase(std::string(name));
}
void Engine::PutStorageCapacity(const CsiStorageCapacitySpec& capacity) {
  impl_->Keep(capacity);
  impl_->cluster.objects().storage.capacities[{capacity.namespace_name, capacity.name}] = capacity;
}
void Engine::RemoveStorageCapacity(std::string_view namespace_name, std::string_view name) {
  impl_->Drop<CsiStorageCapacitySpec>(namespace_name, name);
  impl_->cluster.objects().storage.capacities.erase(
      {std::string(namespace_name), std::string(name)});
}

void Engine::KeepInputs() { impl_->ledger = std::make_unique<Ledger>(); }
const Ledger* Engine::inputs() const { return impl_->ledger.get(); }

Engine Engine::Fork() const {
  COPPICE_CHECK(impl_->ledger);
  Engine fork(impl_->configuration);
  fork.KeepInputs();
  impl_->ledger->ForEach([&](const auto& spec) { Put(fork, spec); });
  fork.impl_->usage = impl_->usage;
  fork.impl_->cluster.ContinueGpuGroups(impl_->cluster);
  for (const auto& [set, since] : impl_->cluster.surplus_held_since()) {
    fork.SetSurplusHeldSince(impl_->cluster.Text(set), since);
  }
  return fork;
}

void Engine::SetRecorder(Recorder* recorder) { impl_->recorder = recorder; }

void Engine::RecordAll(Recorder& recorder) const {
  COPPICE_CHECK(impl_->ledger);
  impl_->ledger->ForEach([&](const auto& spec) { recorder.Put(spec); });
  recorder.SetUsage(impl_->usage);
  for (const auto& [set, since] : impl_->cluster.surplus_held_since()) {
    recorder.SetSurplusHeldSince(std::string(impl_->cluster.Text(set)), since);
  }
}

void Engine::SetSurplusHeldSince(std::string_view set, base::Time since) {
  impl_->cluster.surplus_held_since()[impl_->cluster.InternName(set)] = since;
}

void Engine::SetUsage(const std::map<std::string, QueueUsage>& usage) {
  impl_->usage = usage;
  if (impl_->recorder) impl_->recorder->SetUsage(usage);
}
void Engine::SetStopwatch(std::function<base::Instant()> stopwatch) {
  impl_->stopwatch = std::move(stopwatch);
}

void Engine::OpenCycle(base::Time now) { impl_->Open(now); }
void Engine::RunAction(std::string_view action) { impl_->Run(action); }
CycleResult Engine::CloseCycle() { return impl_->Close(); }

std::vector<Engine::OrderedJob> Engine::AllocateOrder() const {
  Session& session = *impl_->session;
  JobOrder order(session, ActionOptions(session, "allocate"));
  order.AddAll();
  std::vector<OrderedJob> jobs;
  while (!order.empty()) {
    const Gang gang = order.Pop();
    const Job& job = gang.job();
    const std::string queue(session.cluster.Text(session.cluster.queues()[job.queue].name));
    jobs.push_back({session.KeyOf(gang.id()), queue, job.priority});
  }
  return jobs;
}

const CycleResult& Engine::SoFar() const { return impl_->session->result; }

CycleResult Engine::RunCycle(base::Time now) {
  OpenCycle(now);
  for (const auto& action : impl_->configuration.actions) RunAction(action);
  return CloseCycle();
}

std::optional<Engine::PodState> Engine::FindPod(std::string_view uid) const {
  const Cluster& cluster = impl_->cluster;
  const TaskId id = cluster.FindTask(uid);
  if (id == kNone) return std::nullopt;
  const Task& task = cluster.tasks()[id];
  const PodClass& cls = cluster.ClassOf(task);
  PodState state;
  state.status = task.status;
  if (task.node != kNone) state.node = cluster.Text(cluster.nodes()[task.node].name);
  for (NameId group : cluster.name_lists()[task.groups]) {
    state.gpu_groups.emplace_back(cluster.Text(group));
  }
  state.gpus_requested = static_cast<double>(cls.gpu.Milli()) / kGpuUnit;
  if (task.node != kNone) {
    state.gpus_accepted =
        static_cast<double>(cluster.AcceptedGpu(task, task.node) - cls.gpu.dra_count * kGpuUnit) /
        kGpuUnit;
  }
  state.milli_cpu = static_cast<double>(cls.request[kCpu]);
  state.memory = static_cast<double>(cls.request[kMemory]);
  if (task.extras) {
    for (const auto& zone : task.extras->zones) state.numa_zones.push_back(zone.zone);
  }
  return state;
}

std::optional<Engine::NodeState> Engine::FindNode(std::string_view name) const {
  const Cluster& cluster = impl_->cluster;
  const NodeId id = cluster.FindNode(name);
  if (id == kNone) return std::nullopt;
  NodeState state;
  state.idle_gpus = static_cast<double>(cluster.amounts().idle(id)[kGpu]) / kGpuUnit;
  state.releasing_gpus = static_cast<double>(cluster.amounts().releasing(id)[kGpu]) / kGpuUnit;
  state.used_gpus = static_cast<double>(cluster.amounts().used(id)[kGpu]) / kGpuUnit;
  if (cluster.nodes()[id].numa) {
    for (const auto& zone : cluster.nodes()[id].numa->available) {
      std::map<std::string, int64_t> available;
      for (int i = 0; i < static_cast<int>(zone.size()); ++i) {
        available[cluster.resources().Name(i)] = i == kGpu ? zone[i] / kGpuUnit : zone[i];
      }
      state.numa_available.push_back(std::move(available));
    }
  }
  return state;
}

std::string Engine::FitErrorText(std::string_view namespace_name, std::string_view name) const {
  const JobId id = impl_->cluster.FindJob(namespace_name, name);
  if (id == kNone || impl_->cluster.jobs()[id].errors.empty()) return "";
  return impl_->cluster.jobs()[id].errors.DetailedText(impl_->cluster.names());
}

void Engine::SetSurplusHeldUntil(std::string_view namespace_name, std::string_view name,
                                 base::Time until) {
  const JobId id = impl_->cluster.FindJob(namespace_name, name);
  if (id == kNone || impl_->cluster.jobs()[id].set == 0) return;
  impl_->cluster.surplus_held_since()[impl_->cluster.jobs()[id].set] =
      until - impl_->configuration.surplus_delay;
}

void Engine::SetLastStart(std::string_view namespace_name, std::string_view name, base::Time time) {
  const JobId id = impl_->cluster.FindJob(namespace_name, name);
  if (id != kNone) impl_->cluster.RecordOf(id).last_start = time;
  const InputKey key{namespace_name, name};
  if (impl_->ledger) impl_->ledger->SetLastStart(key, time);
  if (impl_->recorder) impl_->recorder->SetLastStart(key, time);
}

std::optional<base::Time> Engine::LastStart(std::string_view namespace_name,
                                            std::string_view name) const {
  const JobId id = impl_->cluster.FindJob(namespace_name, name);
  return id == kNone ? std::nullopt : impl_->cluster.jobs()[id].last_start;
}

std::optional<ResourceClaimSpec> Engine::FindClaim(std::string_view namespace_name,
                                                   std::string_view name) const {
  const DeviceState& devices = impl_->cluster.devices();
  const int32_t id = devices.Find(namespace_name, name);
  if (id == kNone) return std::nullopt;
  ResourceClaimSpec claim = devices.claims()[id].spec;
  if (impl_->session && impl_->session->devices) {
    claim.allocation = devices.claims()[id].allocation;
    claim.reserved_for.clear();
    for (const auto& uid : devices.claims()[id].consumers) claim.reserved_for.push_back({"", uid});
  }
  return claim;
}

std::optional<Explanation> Engine::Explain(std::string_view namespace_name, std::string_view name,
                                           base::Time now) {
  impl_->Open(now);
  const JobId id = impl_->cluster.FindJob(namespace_name, name);
  std::optional<Explanation> out;
  if (id != kNone) out = ExplainJob(*impl_->session, *impl_->allocator, id);
  impl_->Close();
  return out;
}

namespace {

// Uses unique names, so that no existing object is affected.
std::string Hypothetical(size_t number, const std::string& name) {
  return fmt::format("\x01what-if-{}/{}", number, name);
}

}  // namespace

std::vector<Engine::Fit> Engine::TryAllocate(const std::vector<Question>& questions,
                                             base::Time now) {
  Cluster& cluster = impl_->cluster;
  for (size_t i = 0; i < questions.size(); ++i) {
    PodGroupSpec group = questions[i].group;
    group.name = Hypothetical(i, "");
    cluster.PutPodGroup(group);
    for (PodSpec pod : questions[i].pods) {
      pod.uid = Hypothetical(i, pod.uid);
      pod.pod_group = group.name;
      pod.status = TaskStatus::kPending;
      pod.node.clear();
      cluster.PutPod(pod);
    }
  }
  OpenCycle(now);
  std::vector<Fit> fits(questions.size());
  for (size_t i = 0; i < questions.size(); ++i) {
    const Gang gang(cluster,
                    cluster.FindJob(questions[i].group.namespace_name, Hypothetical(i, "")));
    Statement statement(*impl_->session);
    fits[i].placed =
        gang.job().queue != kNone && gang.Ready() &&
        impl_->allocator->AllocateJob(statement, gang, cluster.node_order(), true, nullptr);
    if (fits[i].placed) impl_->PlaceSurplus(statement, gang);
    for (const PodSpec& pod : questions[i].pods) {
      const Task& task = cluster.tasks()[cluster.FindTask(Hypothetical(i, pod.uid))];
      fits[i].waits |= task.status == TaskStatus::kPipelined;
      fits[i].nodes.emplace_back(
          task.node == kNone ? "" : cluster.Text(cluster.nodes()[task.node].name));
    }
    statement.Discard();
  }
  impl_->Abandon();
  for (size_t i = 0; i < questions.size(); ++i) {
    for (const PodSpec& pod : questions[i].pods) cluster.RemovePod(Hypothetical(i, pod.uid));
    cluster.RemovePodGroup(questions[i].group.namespace_name, Hypothetical(i, ""));
  }
  return fits;
}

bool Engine::AnythingWaits(base::Time now) {
  OpenCycle(now);
  const bool waits = [this] {
    JobOrder order(*impl_->session, ActionOptions(*impl_->session, "allocate"));
    order.AddAll();
    return !order.empty();
  }();
  impl_->Abandon();
  return waits;
}

bool Engine::HasMinimum(std::string_view namespace_name, std::string_view name) {
  impl_->cluster.Refresh();
  const JobId id = impl_->cluster.FindJob(namespace_name, name);
  return id != kNone && Gang(impl_->cluster, id).SetSatisfied(0);
}

std::vector<bool> Engine::WouldAllocate(const std::vector<Question>& questions, base::Time now) {
  std::vector<bool> verdicts;
  for (const Fit& fit : TryAllocate(questions, now)) verdicts.push_back(fit.placed);
  return verdicts;
}

}  // namespace coppice::engine
