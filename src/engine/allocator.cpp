#include "engine/allocator.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/device_planner.h"
#include "engine/messages.h"
#include "engine/numa_planner.h"

namespace coppice::engine {

bool Allocator::AllocateJob(Statement& statement, const Gang& gang, const NodeSet& nodes, bool real,
                            JobErrors* errors) {
  statement_ = &statement;
  real_ = real;
  errors_ = errors;
  if (session_.topology) session_.topology->BeginJob();
  const std::vector<TaskId> tasks = gang.TasksToAllocate(real);
  if (tasks.empty()) return false;
  if (session_.plugins.proportion) {
    auto over = session_.shares.OverCapacity(gang.id(), session_.shares.CapacityRequest(tasks));
    if (over) {
      if (real && errors) errors->errors.push_back(std::move(*over));
      return false;
    }
  }
  return AllocateSet(gang, 0, nodes, tasks);
}

std::vector<NodeSet> Allocator::Subsets(const Gang& gang, const SubGroupSet::Member& member,
                                        std::span<const TaskId> tasks, const NodeSet& nodes) {
  if (!session_.topology) return {nodes};
  return session_.topology->Subsets(gang, member, tasks, nodes, errors_);
}

bool Allocator::AllocateSet(const Gang& gang, int set, const NodeSet& nodes,
                            std::span<const TaskId> tasks) {
  if (tasks.empty()) return true;
  const auto belongs = [&](TaskId task, const SubGroupSet::Member& member) {
    const int pod_set = cluster_.tasks[task].pod_set;
    if (!member.is_set) return pod_set == member.index;
    for (int at = gang.job().pod_sets[pod_set].parent; at != kNone; at = gang.job().sets[at].parent) {
      if (at == member.index) return true;
    }
    return false;
  };
  for (const NodeSet& subset : Subsets(gang, {true, set}, tasks, nodes)) {
    const auto mark = statement_->Mark();
    bool placed = true;
    for (const auto& member : gang.OrderedMembers(set)) {
      std::vector<TaskId> own;
      std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(own),
                   [&](TaskId task) { return belongs(task, member); });
      placed = member.is_set ? AllocateSet(gang, member.index, subset, own)
                             : AllocatePodSet(gang, member.index, subset, own);
      if (!placed) break;
    }
    if (placed) return true;
    statement_->Rollback(mark);
  }
  return false;
}

bool Allocator::AllocatePodSet(const Gang& gang, int pod_set, const NodeSet& nodes,
                               std::span<const TaskId> tasks) {
  if (tasks.empty()) return true;
  for (const NodeSet& subset : Subsets(gang, {false, pod_set}, tasks, nodes)) {
    const auto mark = statement_->Mark();
    if (PlaceTasks(gang, pod_set, subset, tasks)) return true;
    statement_->Rollback(mark);
  }
  return false;
}

bool Allocator::PlaceTasks(const Gang& gang, int pod_set, const NodeSet& nodes,
                           std::span<const TaskId> tasks) {
  int placed = 0;
  for (TaskId task : tasks) {
    if (!PlaceTask(task, nodes)) {
      if (errors_) {
        errors_->errors.push_back(
            GangError(cluster_, gang, pod_set, placed, task, TaskText(task)));
      }
      return false;
    }
    ++placed;
  }
  return true;
}

std::string Allocator::TaskText(TaskId id) const {
  const Task& task = cluster_.tasks[id];
  return task.extras && task.extras->errors ? task.extras->errors->Text() : kUnableToSchedulePod;
}

bool Allocator::Prepare(TaskId id) {
  if (predicates_) {
    const auto failures = predicates_->Prepare(id);
    if (!failures.empty()) {
      std::string text =
          fmt::format("Scheduling conditions were not met for pod {}:\n", cluster_.PodName(id));
      for (const auto& failure : failures) {
        text += fmt::format("{}: {}.\n", failure.filter, failure.message);
      }
      cluster_.tasks[id].Extras().errors = TaskErrors{text, {}};
      return false;
    }
  }
  if (session_.devices) {
    if (auto problem = session_.devices->Prepare(id)) {
      cluster_.tasks[id].Extras().errors = TaskErrors{*problem, {}};
      return false;
    }
  }
  return true;
}

bool Allocator::PlaceTask(TaskId task, const NodeSet& nodes) {
  if (!Prepare(task)) return false;
  scorer_.Prepare(task, nodes);
  std::vector<std::pair<double, NodeId>> order;
  order.reserve(nodes.size());
  for (NodeId node : nodes) {
    if (const auto score = scorer_.Score(task, node)) order.emplace_back(*score, node);
  }
  // Nodes come by name, and equal scores keep that order.
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [score, node] : order) {
    if (FittingNode(task, node) && PlaceOn(task, node)) return true;
  }
  // Requests by memory name no shortage, and without any reason the pod has no text of its own.
  if (real_ && cluster_.ClassOf(task).gpu.memory_mib == 0 && !cluster_.tasks[task].Extras().errors) {
    cluster_.tasks[task].extras->errors.emplace();
  }
  return false;
}

bool Allocator::FittingNode(TaskId task, NodeId node) {
  if (!cluster_.FitsIdleOrReleasing(task, node)) {
    if (real_) RecordShortage(task, node);
    return false;
  }
  if (predicates_) {
    if (auto reason = predicates_->Check(task, node)) {
      if (real_) Record(task, *reason);
      return false;
    }
  }
  if (session_.devices) {
    if (auto reason = session_.devices->Check(task, node)) {
      if (real_) Record(task, *reason);
      return false;
    }
  }
  if (session_.numa && !session_.numa->Allowed(task, node)) {
    if (real_) {
      Record(task, "node cannot NUMA-align the pod's resources under its Topology Manager policy");
    }
    return false;
  }
  return true;
}

void Allocator::Record(TaskId task, const std::string& reason) {
  auto& errors = cluster_.tasks[task].Extras().errors;
  if (!errors) errors.emplace();
  ++errors->reasons[reason];
}

void Allocator::RecordShortage(TaskId id, NodeId node) {
  const PodClass& cls = cluster_.ClassOf(id);
  auto idle = cluster_.amounts.idle(node);
  const auto shortage = [&](std::string_view name) {
    Record(id, fmt::format("node(s) didn't have enough resources: {}", name));
  };
  if (cls.gpu.shared()) {
    if (MemoryOn(cls.gpu, cluster_.nodes[node].gpu_memory) > cluster_.nodes[node].gpu_memory) {
      shortage("GPU memory");
    } else if (cls.gpu.type == RequestType::kFraction) {
      int64_t devices = idle[kGpu] / kGpuUnit;
      for (const auto& group : cluster_.nodes[node].groups) {
        devices += cluster_.FitsOnGroup(id, node, group);
      }
      if (devices < cls.gpu.count) shortage("GPUs");
    }
  } else if (cls.gpu.Milli() > idle[kGpu]) {
    shortage("GPUs");
  }
  if (cls.request[kCpu] > idle[kCpu]) shortage("CPU cores");
  if (cls.request[kMemory] > idle[kMemory]) shortage("memory");
  for (int i = kPods; i < static_cast<int>(cls.request.size()); ++i) {
    if (cls.request[i] <= idle[i]) continue;
    if (cluster_.resources.IsMig(i)) {
      Record(id, fmt::format("node(s) didn't have enough of mig profile: {}",
                             cluster_.resources.Name(i)));
    } else {
      shortage(cluster_.resources.Name(i));
    }
  }
}

bool Allocator::PlaceOn(TaskId task, NodeId node) {
  std::vector<ZoneAmount> zones;
  if (session_.numa) {
    if (auto plan = session_.numa->Plan(task, node)) zones = std::move(*plan);
  }
  if (cluster_.ClassOf(task).gpu.shared()) return PlaceShared(task, node, std::move(zones));
  if (real_ && cluster_.FitsIdle(task, node)) {
    statement_->Allocate(task, node, 0, std::move(zones));
  } else {
    statement_->Pipeline(task, node, 0, std::move(zones), real_);
  }
  return true;
}

// Which shared or whole GPUs of the node the task takes (spec 3.3).
bool Allocator::PlaceShared(TaskId id, NodeId node_id, std::vector<ZoneAmount> zones) {
  struct Candidate {
    double score;
    const GpuGroup* group;  // nullptr: a whole device.
  };
  const Node& node = cluster_.nodes[node_id];
  const PodClass& cls = cluster_.ClassOf(id);
  const auto device = static_cast<double>(node.gpu_memory);
  const Plugins& plugins = session_.plugins;
  std::vector<Candidate> candidates;
  for (const auto& group : node.groups) {
    if (!cluster_.FitsOnGroup(id, node_id, group)) continue;
    const double used = static_cast<double>(group.used) / device;
    candidates.push_back({(plugins.gpupack ? used : 0) + (plugins.gpuspread ? 1 - used : 0), &group});
  }
  const int64_t whole = cluster_.amounts.idle(node_id)[kGpu] / kGpuUnit +
                        cluster_.amounts.releasing(node_id)[kGpu] / kGpuUnit;
  for (int64_t i = 0; i < whole && i < cls.gpu.count; ++i) {
    candidates.push_back({plugins.gpuspread ? 1.0 : 0.0, nullptr});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
    if (a.score != b.score) return a.score > b.score;
    if (!a.group || !b.group) return a.group != nullptr && b.group == nullptr;
    // Known GPUs by id, then those that became shared in this cycle, in that order.
    if (a.group->fresh || b.group->fresh) return !a.group->fresh && b.group->fresh;
    return cluster_.Text(a.group->id) < cluster_.Text(b.group->id);
  });
  if (static_cast<int64_t>(candidates.size()) < cls.gpu.count) return false;
  const bool idle = cluster_.FitsIdle(id, node_id);
  bool releasing = !real_;
  std::vector<NameId> groups;
  for (int64_t i = 0; i < cls.gpu.count; ++i) {
    const GpuGroup* group = candidates[i].group;
    releasing |= !idle || (group && !cluster_.FitsIdleOnGroup(id, node_id, *group));
    groups.push_back(group ? group->id : NewGroup());
  }
  const int32_t list = cluster_.group_lists.Intern(groups);
  if (releasing) {
    statement_->Pipeline(id, node_id, list, std::move(zones), real_);
  } else {
    statement_->Allocate(id, node_id, list, std::move(zones));
  }
  return true;
}

NameId Allocator::NewGroup() { return cluster_.NewGpuGroup(); }

}  // namespace coppice::engine
