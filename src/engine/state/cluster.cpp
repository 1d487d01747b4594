#include "engine/state/cluster.h"

#include <algorithm>
#include <charconv>

#include "engine/state/jobs/status.h"
#include "engine/state/jobs/task_order.h"
#include "engine/state/values/operations.h"

namespace coppice::engine {
namespace {

bool Prefers(const PodShape& shape) {
  return !shape.affinity.preferred_pods.empty() || !shape.affinity.preferred_anti_pods.empty();
}

bool HasPlugin(const Configuration& configuration, std::string_view name) {
  return std::any_of(configuration.plugins.begin(), configuration.plugins.end(),
                     [&](const auto& plugin) { return plugin.name == name; });
}

void ReadTaskLabels(Task& task, const Labels& labels) {
  auto value = [&](const char* key) {
    auto found = labels.find(key);
    return found == labels.end() ? nullptr : &found->second;
  };
  if (const std::string* priority = value("kai.scheduler/task-priority")) {
    task.has_priority = true;
    const char* end = priority->data() + priority->size();
    auto [at, error] = std::from_chars(priority->data(), end, task.priority);
    task.bad_priority = error != std::errc() || at != end;
  }
  const std::string* role = value("training.kubeflow.org/job-role");
  task.kubeflow_leader = role && (*role == "master" || *role == "launcher");
  const std::string* ray = value("ray.io/node-type");
  task.ray_leader = ray && *ray == "head";
}

}  // namespace

Cluster::Cluster(const Configuration& config)
    : configuration_(config),
      orders_sub_groups_(HasPlugin(config, "subgrouporder")),
      scores_affinity_(HasPlugin(config, "podaffinity")),
      task_orders_(ReadTaskOrders(config)),
      resources_(config.compatibility.Keeps(Quirk::kForeignGpuUnits)),
      classes_(names_, resources_, config.scheduler_name, config.reservation_app_label),
      journal_(static_cast<Journal::Reverser&>(*this)),
      group_ids_(names_, config.seed),
      nodes_({config, names_, resources_, name_lists_, journal_, log_}),
      tasks_(journal_),
      jobs_(names_, log_, config.compatibility.Keeps(Quirk::kGroupNames)),
      queues_(names_) {}

std::string Cluster::PodName(TaskId task) const {
  const PodClass& cls = ClassOf(task);
  return std::string(Text(cls.namespace_name)) + "/" + std::string(Text(tasks_[task].name));
}

std::vector<InputProblem> Cluster::Problems() const {
  return problems_.All([&](NodeId node) { return std::string(Text(nodes_[node].name)); },
                       [&](TaskId task) { return PodName(task); });
}

// ---- Nodes ---------------------------------------------------------------------------------

void Cluster::PutNode(const NodeSpec& spec) {
  const NodeId id = nodes_.ByName(spec.name);
  problems_.Forget("Node", spec.name);
  const bool is_new = !nodes_[id].exists;
  if (nodes_.Put(id, spec, problems_)) topologies_.NodesChanged();
  if (is_new) TasksMoved(id);
  RebuildNode(id);
  CheckLoad(id);
}

void Cluster::RemoveNode(std::string_view name) {
  const NodeId id = FindNode(name);
  if (id == kNone) return;
  nodes_.Remove(id);
  jobs_.LookAtAll();
  topologies_.NodesChanged();
  problems_.Forget("Node", name);
  CheckLoad(id);
  TasksMoved(id);
}

// Pods count towards their queue while their node exists.
void Cluster::TasksMoved(NodeId id) {
  for (TaskId task = tasks_.FirstOn(id); task != kNone; task = tasks_[task].next_on_node) {
    if (tasks_[task].job != kNone) jobs_.TasksChanged(tasks_[task].job);
  }
}

void Cluster::RebuildNode(NodeId id) {
  if (!nodes_[id].exists) return;
  nodes_.ClearCharges(id);
  std::vector<TaskId> here;
  for (TaskId task = tasks_.FirstOn(id); task != kNone; task = tasks_[task].next_on_node) {
    if (IsUsed(tasks_[task].status)) here.push_back(task);
  }
  // Reservation pods first, because they hold the GPUs that others share; then by arrival.
  std::sort(here.begin(), here.end(), [&](TaskId a, TaskId b) {
    return std::make_tuple(!ClassOf(a).reservation, a) <
           std::make_tuple(!ClassOf(b).reservation, b);
  });
  for (TaskId task : here) Charge(id, task, tasks_[task].status, tasks_[task].groups);
}

// ---- Pods ----------------------------------------------------------------------------------

void Cluster::CountForeign(const Task& task, int sign) {
  const PodClass& cls = ClassOf(task);
  if (cls.ours || cls.utility || !IsUsed(task.status) || task.node == kNone) return;
  nodes_.AddForeignUse(task.node, {{cls.request[kCpu], cls.request[kMemory], cls.all_gpus}}, sign);
}

void Cluster::PutPod(const PodSpec& spec) {
  if (!spec.shape) return problems_.Report("Pod", spec.name, "has no shape");
  RemovePod(spec.uid);
  const TaskId id = tasks_.New(names_.Intern(spec.uid));
  Task& task = tasks_[id];
  task.name = names_.Intern(spec.name);
  task.sub_group = names_.Intern(spec.sub_group);
  task.legacy_mig = spec.legacy_mig;
  task.creation = spec.creation.time_since_epoch().count();
  task.status = spec.status;
  ReadTaskLabels(task, spec.shape->labels);
  ReadExtras(id, spec);
  task.cls = classes_.Classify(spec.shape, 0, spec.legacy_mig);
  task.labels = label_sets_.Intern(spec.shape->labels);
  task.groups = ReadGpuGroups(spec.gpu_groups, ClassOf(task).gpu);
  if (ClassOf(task).negative) problems_.MarkNegative(id);
  NoticeAffinity(ClassOf(task));
  if (resources_.size() > amounts().stride()) nodes_.FitResources();
  if (!spec.node.empty()) PutOnNode(id, nodes_.ByName(spec.node));
  CountForeign(tasks_[id], +1);
  if (!spec.pod_group.empty()) {
    task.job = jobs_.ByName(ClassOf(task).namespace_name, names_.Intern(spec.pod_group));
    jobs_.AddTask(task.job, id);
  }
}

// State that few pods have.
void Cluster::ReadExtras(TaskId id, const PodSpec& spec) {
  Task& task = tasks_[id];
  if (!spec.claims.empty() || spec.extended_claim_allocation) {
    TaskExtras& extras = task.extras.Get();
    extras.claims = spec.claims;
    extras.claim_allocations = spec.claim_allocations;
    extras.extended_claim = spec.extended_claim_allocation;
    tasks_.AddClaimant(id);
    devices_.ClaimantsChanged();
  }
  if (!spec.numa_placement.empty()) task.extras.Get().given_zones = spec.numa_placement;
  if (spec.deletion) {
    task.extras.Get().deletion = spec.deletion;
    tasks_.deleting().push_back(id);
  }
  if (!spec.nominated_node.empty()) task.extras.Get().nominated_node = spec.nominated_node;
}

// Nodes count their pods once the first pod has affinity terms.
void Cluster::NoticeAffinity(const PodClass& cls) {
  const bool counts = cls.has_pod_affinity || (Prefers(*cls.shape) && scores_affinity_);
  if (!counts || nodes_.counts_presence()) return;
  nodes_.CountPresence();
  for (NodeId node = 0; node < static_cast<NodeId>(nodes_.size()); ++node) RebuildNode(node);
}

// Users write labels, too: a pod has no more GPUs than it asks for.
int32_t Cluster::ReadGpuGroups(const std::vector<std::string>& given, const GpuRequest& request) {
  std::vector<NameId> groups;
  for (const auto& group : given) {
    if (request.shared() && std::ssize(groups) == request.count) break;
    groups.push_back(names_.Intern(group));
    group_ids_.Know(groups.back());
  }
  return name_lists_.Intern(groups);
}

void Cluster::PutOnNode(TaskId id, NodeId node) {
  Task& task = tasks_[id];
  task.node = node;
  tasks_.SetHome(id, node);
  if (IsUsed(task.status)) Charge(node, id, task.status, task.groups);
  CheckLoad(node);
}

void Cluster::RemovePod(std::string_view uid) {
  const TaskId id = FindTask(uid);
  if (id == kNone) return;
  Task& task = tasks_[id];
  CountForeign(task, -1);
  if (task.node != kNone) {
    const NodeId node = task.node;
    if (IsUsed(task.status)) Uncharge(node, id, task.status, task.groups);
    tasks_.SetHome(id, kNone);
    // Shared GPUs depend on the order of changes, so they are recomputed.
    if (ClassOf(task).gpu.shared()) RebuildNode(node);
    if (problems_.any_overcommitted()) CheckLoad(node);
  }
  problems_.ForgetPod(id);
  if (task.job != kNone) jobs_.RemoveTask(task.job, id);
  if (task.extras && tasks_.RemoveClaimant(id)) devices_.ClaimantsChanged();
  tasks_.Drop(id);
}

void Cluster::SettleTask(TaskId id, TaskStatus status, NodeId node, int32_t groups) {
  Task& task = tasks_[id];
  CountForeign(task, -1);
  task.node = node;
  tasks_.SetHome(id, node);
  task.status = status;
  task.groups = groups;
  task.other_places = kNone;
  task.is_virtual = false;
  task.is_planned = false;
  CountForeign(task, +1);
  if (task.job != kNone) jobs_.TasksChanged(task.job);
}

// ---- Groups, queues, topologies ------------------------------------------------------------

void Cluster::PutPodGroup(const PodGroupSpec& spec) {
  jobs_.Put(jobs_.ByName(names_.Intern(spec.namespace_name), names_.Intern(spec.name)), spec);
}

void Cluster::RemovePodGroup(std::string_view namespace_name, std::string_view name) {
  const JobId id = FindJob(namespace_name, name);
  if (id == kNone || Text(jobs_[id].namespace_name) != namespace_name) return;
  problems_.Forget("PodGroup", name);
  jobs_.Remove(id);
}

void Cluster::PutQueue(const QueueSpec& spec) {
  queues_.Put(spec);
  jobs_.LookAtAll();
}

void Cluster::RemoveQueue(std::string_view name) {
  const QueueId id = FindQueue(name);
  if (id == kNone) return;
  queues_.Remove(id);
  jobs_.LookAtAll();
}

void Cluster::PutTopology(const TopologySpec& spec) {
  topologies_.Put(spec);
  jobs_.TreesChanged();
}

void Cluster::RemoveTopology(std::string_view name) {
  topologies_.Remove(name);
  jobs_.TreesChanged();
}

}  // namespace coppice::engine
