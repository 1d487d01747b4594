#include "engine/state/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/state/status.h"

namespace coppice::engine {
namespace {

bool Prefers(const PodShape& shape) {
  return !shape.affinity.preferred_pods.empty() || !shape.affinity.preferred_anti_pods.empty();
}

bool HasPlugin(const Configuration& configuration, std::string_view name) {
  return std::any_of(configuration.plugins.begin(), configuration.plugins.end(),
                     [&](const auto& plugin) { return plugin.name == name; });
}

// Whether anybody asks what pods prefer.
bool ScoresAffinity(const Configuration& configuration) {
  return HasPlugin(configuration, "podaffinity");
}

}  // namespace

// Upstream knows groups by their names alone.
uint64_t Cluster::JobKey(NameId namespace_name, NameId name) const {
  const bool by_name = configuration.compatibility.Keeps(Quirk::kGroupNames);
  return static_cast<uint64_t>(by_name ? 0 : namespace_name) << 32 | name;
}

bool WithinAll(const Quantities& a, const Quantities& b) {
  for (int i = 0; i < 3; ++i) {
    if (b[i] == kUnlimited) continue;
    if (a[i] == kUnlimited || a[i] > b[i]) return false;
  }
  return true;
}

Cluster::Cluster(const Configuration& config)
    : resources(config.compatibility.Keeps(Quirk::kForeignGpuUnits)),
      classes(names, resources, config.scheduler_name, config.reservation_app_label),
      journal(static_cast<Journal::Reverser&>(*this)),
      configuration(config),
      orders_sub_groups(HasPlugin(config, "subgrouporder")),
      task_orders_(ReadTaskOrders(config)) {
  LabelSetId({});
}

// ---- Look-up -------------------------------------------------------------------------------

NodeId Cluster::FindNode(std::string_view name) const {
  auto found = node_ids_.find(names.Find(name));
  return found == node_ids_.end() || !nodes[found->second].exists ? kNone : found->second;
}

TaskId Cluster::FindTask(std::string_view uid) const {
  auto found = task_ids_.find(names.Find(uid));
  return found == task_ids_.end() ? kNone : found->second;
}

JobId Cluster::FindJob(std::string_view namespace_name, std::string_view name) const {
  auto found = job_ids_.find(JobKey(names.Find(namespace_name), names.Find(name)));
  return found == job_ids_.end() || !jobs[found->second].exists ? kNone : found->second;
}

QueueId Cluster::FindQueue(std::string_view name) const {
  auto found = queue_ids_.find(names.Find(name));
  return found == queue_ids_.end() || !queues[found->second].exists ? kNone : found->second;
}

std::string Cluster::PodName(TaskId task) const {
  const PodClass& cls = ClassOf(task);
  return std::string(Text(cls.namespace_name)) + "/" + std::string(Text(tasks[task].name));
}

NodeId Cluster::NodeByName(std::string_view name) {
  const NameId id = names.Intern(name);
  auto [found, added] = node_ids_.try_emplace(id, static_cast<NodeId>(nodes.size()));
  if (added) {
    nodes.emplace_back().name = id;
    amounts.Resize(static_cast<int>(nodes.size()), resources.size());
  }
  return found->second;
}

JobId Cluster::JobByName(NameId namespace_name, NameId name) {
  auto [found, added] =
      job_ids_.try_emplace(JobKey(namespace_name, name), static_cast<JobId>(jobs.size()));
  if (added) {
    Job& job = jobs.emplace_back();
    job_versions.push_back(0);
    job.namespace_name = namespace_name;
    job.name = name;
    jobs_changed_ = true;
  }
  return found->second;
}

int32_t Cluster::LabelSetId(const Labels& labels) {
  auto [found, added] =
      label_set_ids_.try_emplace(labels, static_cast<int32_t>(label_sets_.size()));
  if (added) label_sets_.push_back(labels);
  return found->second;
}

// Ids that pods already carry are passed over: an engine that starts anew draws the same sequence.
NameId Cluster::NewGpuGroup() {
  journal.Save(new_groups_);
  NameId id = DrawGpuGroup();
  while (known_groups_.contains(id)) id = DrawGpuGroup();
  return id;
}

NameId Cluster::DrawGpuGroup() {
  ++new_groups_;
  // Two rounds of a 64-bit mixer over seed and counter, written as a version 4 UUID.
  const auto mix = [](uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  };
  const uint64_t high = mix(mix(configuration.seed) ^ new_groups_), low = mix(high ^ new_groups_);
  return names.Intern(fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32,
                                  high >> 16 & 0xffff, high & 0xfff, (low >> 48 & 0x3fff) | 0x8000,
                                  low & 0xffffffffffff));
}

// ---- Pods ----------------------------------------------------------------------------------

void Cluster::LinkToNode(TaskId id, NodeId node) {
  Task& task = tasks[id];
  task.next_on_node = nodes[node].first_task;
  task.previous_on_node = kNone;
  if (task.next_on_node != kNone) tasks[task.next_on_node].previous_on_node = id;
  nodes[node].first_task = id;
  task.home = node;
}

void Cluster::UnlinkFromNode(TaskId id) {
  Task& task = tasks[id];
  if (task.home == kNone) return;
  if (task.previous_on_node != kNone) {
    tasks[task.previous_on_node].next_on_node = task.next_on_node;
  } else {
    nodes[task.home].first_task = task.next_on_node;
  }
  if (task.next_on_node != kNone) {
    tasks[task.next_on_node].previous_on_node = task.previous_on_node;
  }
  task.next_on_node = task.previous_on_node = task.home = kNone;
}

void Cluster::CountForeign(const Task& task, int sign) {
  const PodClass& cls = ClassOf(task);
  if (cls.ours || cls.utility || !IsUsed(task.status) || task.node == kNone) return;
  if (foreign_usage.size() < nodes.size()) foreign_usage.resize(nodes.size());
  foreign_usage[task.node].Add({{cls.request[kCpu], cls.request[kMemory], cls.all_gpus}}, sign);
}

void Cluster::ReadTaskLabels(Task& task, const Labels& labels) {
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

TaskId Cluster::NewTask(NameId uid) {
  TaskId id = static_cast<TaskId>(tasks.size());
  if (free_tasks_.empty()) {
    tasks.emplace_back();
  } else {
    id = free_tasks_.back();
    free_tasks_.pop_back();
  }
  task_ids_[uid] = id;
  tasks[id].exists = true;
  tasks[id].uid = uid;
  return id;
}

void Cluster::PutPod(const PodSpec& spec) {
  if (!spec.shape) return Problem("Pod", spec.name, "has no shape");
  RemovePod(spec.uid);
  const TaskId id = NewTask(names.Intern(spec.uid));
  Task& task = tasks[id];
  task.name = names.Intern(spec.name);
  task.sub_group = names.Intern(spec.sub_group);
  task.legacy_mig = spec.legacy_mig;
  task.creation = spec.creation.time_since_epoch().count();
  task.status = spec.status;
  ReadTaskLabels(task, spec.shape->labels);
  ReadExtras(id, spec);
  task.cls = classes.Classify(spec.shape, 0, spec.legacy_mig);
  task.labels = LabelSetId(spec.shape->labels);
  task.groups = InternGpuGroups(spec.gpu_groups);
  if (ClassOf(task).negative) negative_.insert(id);
  NoticeAffinity(ClassOf(task));
  if (resources.size() > amounts.stride()) {
    amounts.Resize(static_cast<int>(nodes.size()), resources.size());
  }
  if (!spec.node.empty()) PutOnNode(id, NodeByName(spec.node));
  CountForeign(tasks[id], +1);
  if (!spec.pod_group.empty()) {
    JoinJob(id, JobByName(ClassOf(task).namespace_name, names.Intern(spec.pod_group)));
  }
}

// What few pods have.
void Cluster::ReadExtras(TaskId id, const PodSpec& spec) {
  Task& task = tasks[id];
  if (!spec.claims.empty() || spec.extended_claim_allocation) {
    task.Extras().claims = spec.claims;
    task.Extras().claim_allocations = spec.claim_allocations;
    task.Extras().extended_claim = spec.extended_claim_allocation;
    tasks_with_claims_.push_back(id);
    devices.changed = true;
  }
  if (!spec.numa_placement.empty()) task.Extras().given_zones = spec.numa_placement;
  if (spec.deletion) {
    task.Extras().deletion = spec.deletion;
    deleting.push_back(id);
  }
  if (!spec.nominated_node.empty()) task.Extras().nominated_node = spec.nominated_node;
}

// From the first pod on that has terms about others, nodes count who is there.
void Cluster::NoticeAffinity(const PodClass& cls) {
  const bool counts =
      cls.has_pod_affinity || (Prefers(*cls.shape) && ScoresAffinity(configuration));
  if (!counts || affinity_in_use) return;
  affinity_in_use = true;
  for (NodeId node = 0; node < static_cast<NodeId>(nodes.size()); ++node) RebuildNode(node);
}

int32_t Cluster::InternGpuGroups(const std::vector<std::string>& given) {
  std::vector<NameId> groups;
  for (const auto& group : given) {
    groups.push_back(names.Intern(group));
    known_groups_.insert(groups.back());
  }
  return name_lists.Intern(groups);
}

void Cluster::PutOnNode(TaskId id, NodeId node) {
  Task& task = tasks[id];
  task.node = node;
  LinkToNode(id, node);
  if (IsUsed(task.status)) Charge(node, id, task.status, task.groups);
  CheckLoad(node);
}

void Cluster::JoinJob(TaskId id, JobId job) {
  tasks[id].job = job;
  jobs[job].tasks.push_back(id);
  TasksChanged(job);
}

void Cluster::TasksChanged(JobId job) {
  if (!jobs[job].tasks_changed) changed_jobs_.push_back(job);
  jobs[job].tasks_changed = true;
}

void Cluster::RemovePod(std::string_view uid) {
  auto found = task_ids_.find(names.Find(uid));
  if (found == task_ids_.end()) return;
  const TaskId id = found->second;
  Task& task = tasks[id];
  CountForeign(task, -1);
  if (task.node != kNone) {
    const NodeId home = task.node;
    if (IsUsed(task.status)) Uncharge(task.node, id, task.status, task.groups);
    UnlinkFromNode(id);
    // Shared GPUs depend on the order of changes; what is left is counted afresh.
    if (ClassOf(task).gpu.shared()) {
      const NodeId node = task.node;
      task.node = kNone;
      RebuildNode(node);
    }
    if (!overcommitted_.empty()) CheckLoad(home);
  }
  stranded_.erase(id);
  negative_.erase(id);
  if (task.job != kNone) {
    Job& job = jobs[task.job];
    job.tasks.erase(std::find(job.tasks.begin(), job.tasks.end(), id));
    TasksChanged(task.job);
  }
  if (task.extras && std::erase(tasks_with_claims_, id) > 0) devices.changed = true;
  task = Task{};
  task_ids_.erase(found);
  free_tasks_.push_back(id);
}

void Cluster::SettleTask(TaskId id, TaskStatus status, NodeId node, int32_t groups) {
  Task& task = tasks[id];
  CountForeign(task, -1);
  task.node = node;
  if (task.home != node) {
    UnlinkFromNode(id);
    if (node != kNone) LinkToNode(id, node);
  }
  task.status = status;
  task.groups = groups;
  task.other_places = kNone;
  task.is_virtual = false;
  task.is_planned = false;
  CountForeign(task, +1);
  if (task.job == kNone) return;
  TasksChanged(task.job);
}

// ---- Groups and queues ---------------------------------------------------------------------

void Cluster::PutPodGroup(const PodGroupSpec& spec) {
  const JobId id = JobByName(names.Intern(spec.namespace_name), names.Intern(spec.name));
  Job& job = jobs[id];
  if (!job.exists) jobs_changed_ = true;
  job.exists = true;
  job.namespace_name = names.Intern(spec.namespace_name);
  job.uid = names.Intern(spec.uid);
  job.set = spec.set.empty() ? 0 : names.Intern(spec.namespace_name + "/" + spec.set);
  job.priority = spec.priority;
  job.preemptible = spec.preemptible;
  job.creation = spec.creation;
  job.last_start = spec.last_start;
  job.last_eviction = spec.last_eviction;
  job.stale_since = spec.stale_since;
  job.stale = spec.stale_since.has_value();
  job.spec = std::make_unique<PodGroupSpec>(spec);
  TasksChanged(id);
  job.tree_changed = true;
  jobs_changed_ = true;
}

void Cluster::RemovePodGroup(std::string_view namespace_name, std::string_view name) {
  const JobId id = FindJob(namespace_name, name);
  if (id == kNone || Text(jobs[id].namespace_name) != namespace_name) return;
  ForgetProblems("PodGroup", name);
  jobs[id].exists = false;
  jobs[id].spec.reset();
  jobs[id].sets.clear();
  jobs[id].pod_sets.clear();
  jobs[id].errors = {};
  jobs[id].tree_changed = true;
  jobs_changed_ = true;
}

void Cluster::PutQueue(const QueueSpec& spec) {
  const NameId name = names.Intern(spec.name);
  auto [found, added] = queue_ids_.try_emplace(name, static_cast<QueueId>(queues.size()));
  if (added) queues.emplace_back().name = name;
  Queue& queue = queues[found->second];
  queue.exists = true;
  queue.priority = spec.priority;
  queue.creation = spec.creation;
  queue.spec = std::make_unique<QueueSpec>(spec);
  queues_changed_ = jobs_changed_ = true;
}

void Cluster::RemoveQueue(std::string_view name) {
  const QueueId id = FindQueue(name);
  if (id == kNone) return;
  queues[id].exists = false;
  queues_changed_ = jobs_changed_ = true;
}

}  // namespace coppice::engine
