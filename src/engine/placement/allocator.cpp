#include "engine/placement/allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

#include "engine/cycle/cycle_plugins.h"
#include "engine/gpus/gpu_choice.h"
#include "engine/session/messages.h"

namespace coppice::engine {
namespace {

int64_t CodeOf(const SubGroupSet::Member& member) { return 2 * member.index + member.is_set; }

// The member of the set that is the pod set or an ancestor of it.
SubGroupSet::Member MemberAbove(const Job& job, int set, int pod_set) {
  SubGroupSet::Member member{false, pod_set};
  for (int at = job.pod_sets[pod_set].parent; at != set && at != kNone; at = job.sets[at].parent) {
    member = {true, at};
  }
  return member;
}

// The tasks of every member of a set, in order. Visits each task once, independent of the number of
// members.
std::vector<std::vector<TaskId>> ByMember(const Cluster& cluster, const Job& job, int set,
                                          std::span<const SubGroupSet::Member> members,
                                          std::span<const TaskId> tasks) {
  boost::unordered_flat_map<int64_t, size_t> places;
  for (size_t i = 0; i < members.size(); ++i) places[CodeOf(members[i])] = i;
  std::vector<std::vector<TaskId>> own(members.size());
  for (TaskId task : tasks) {
    const auto place = places.find(CodeOf(MemberAbove(job, set, cluster.tasks()[task].pod_set)));
    if (place != places.end()) own[place->second].push_back(task);
  }
  return own;
}

}  // namespace

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
      if (real && errors) errors->Add(std::move(*over));
      return false;
    }
  }
  return AllocateSet(gang, 0, nodes, tasks);
}

bool Allocator::PlaceOne(Statement& statement, TaskId task, NodeId node) {
  statement_ = &statement;
  real_ = false;  // Records no reasons.
  errors_ = nullptr;
  if (!Prepare(task) || !FittingNode(task, node)) return false;
  return PlaceOn(task, node);
}

// Tries the node sets that the topology allows for a sub-group until one works.
template <typename Place>
bool Allocator::ForEachSubset(const Gang& gang, const SubGroupSet::Member& member,
                              std::span<const TaskId> tasks, const NodeSet& nodes, Place place) {
  const Constraint& constraint = member.is_set ? gang.job().sets[member.index].constraint
                                               : gang.job().pod_sets[member.index].constraint;
  if (!session_.topology || !constraint.any()) {
    const auto mark = statement_->Mark();
    if (place(nodes)) return true;
    statement_->Rollback(mark);
    return false;
  }
  const NodeChoices choices = session_.topology->Choose(gang, member, tasks, nodes, errors_);
  NodeSet room;
  for (size_t i = 0; i < choices.size(); ++i) {
    const auto mark = statement_->Mark();
    const NodeSet& subset = choices.Nodes(i, room);
    const NodeQueues::Domain domain(
        queues_, {choices.tree(), choices.Domain(i), &subset == &room ? nullptr : &subset});
    if (place(subset)) return true;
    statement_->Rollback(mark);
  }
  return false;
}

bool Allocator::AllocateSet(const Gang& gang, int set, const NodeSet& nodes,
                            std::span<const TaskId> tasks) {
  if (tasks.empty()) return true;
  const auto place_member = [&](const auto& member, const NodeSet& subset,
                                std::span<const TaskId> own) {
    return member.is_set ? AllocateSet(gang, member.index, subset, own)
                         : AllocatePodSet(gang, member.index, subset, own);
  };
  const auto place = [&](const NodeSet& subset) {
    Gang::Members room;
    const auto members = gang.OrderedMembers(set, room);
    if (members.size() == 1) return place_member(members[0], subset, tasks);
    const auto own = ByMember(cluster_, gang.job(), set, members, tasks);
    for (size_t i = 0; i < members.size(); ++i) {
      if (!place_member(members[i], subset, own[i])) return false;
    }
    return true;
  };
  return ForEachSubset(gang, {true, set}, tasks, nodes, place);
}

bool Allocator::AllocatePodSet(const Gang& gang, int pod_set, const NodeSet& nodes,
                               std::span<const TaskId> tasks) {
  if (tasks.empty()) return true;
  return ForEachSubset(gang, {false, pod_set}, tasks, nodes, [&](const NodeSet& subset) {
    return PlaceTasks(gang, pod_set, subset, tasks);
  });
}

bool Allocator::PlaceTasks(const Gang& gang, int pod_set, const NodeSet& nodes,
                           std::span<const TaskId> tasks) {
  int placed = 0;
  for (TaskId task : tasks) {
    if (!PlaceTask(task, nodes)) {
      if (errors_) errors_->Add(ShortfallOf(cluster_, gang, pod_set, placed, task));
      return false;
    }
    ++placed;
  }
  return true;
}

bool Allocator::Prepare(TaskId id) {
  return AllOf<Point::kFilter>(session_, [&](auto& plugin) {
    if constexpr (PreFilterPlugin<decltype(plugin)>) {
      if (auto problem = plugin.PreFilter(id)) {
        cluster_.ErrorsOf(id) = TaskErrors{std::move(*problem), {}};
        return false;
      }
    }
    return true;
  });
}

bool Allocator::PlaceTask(TaskId task, const NodeSet& nodes) {
  if (!Prepare(task)) return false;
  return queues_.CanServe(task, nodes) ? PlaceByQueue(task, nodes) : PlaceByScan(task, nodes);
}

bool Allocator::PlaceByQueue(TaskId task, const NodeSet& nodes) {
  NodeQueue& queue = queues_.For(task, nodes);
  const NodeId node = queue.Best(task);
  if (cluster_.ClassOf(task).gpu.shared()) {
    // What a GPU share counts for in the job's queue differs from node to node.
    const bool free = node != kNone && !(predicates_ && predicates_->CheckQueue(task, node));
    if (free && PlaceOn(task, node)) return true;
    return (node != kNone || real_) && PlaceByScan(task, nodes);
  }
  // The queue's verdict is the same for all nodes.
  if (node != kNone && !(predicates_ && predicates_->CheckQueue(task, node))) {
    return PlaceOn(task, node);
  }
  if (real_) RecordRefusals(task, nodes, queue);
  return false;
}

void Allocator::RecordRefusals(TaskId task, const NodeSet& nodes, NodeQueue& queue) {
  auto& errors = cluster_.ErrorsOf(task);
  if (!errors) errors.emplace();
  const bool by_queue = queue.Best(task) != kNone;
  if (by_queue || !queue.KnowsRefusals()) {
    TaskErrors before = std::move(*errors);
    *errors = {};
    for (NodeId node : nodes) FittingNode(task, node);
    queue.NoteRefusals(std::move(errors->reasons), !by_queue);
    *errors = std::move(before);
  }
  for (const auto& [reason, count] : queue.refusals()) {
    errors->reasons[reason] += count;
  }
}

bool Allocator::PlaceByScan(TaskId task, const NodeSet& nodes) {
  scorer_.Prepare(task, nodes);
  std::vector<std::pair<double, NodeId>> order;
  order.reserve(nodes.size());
  for (NodeId node : nodes) {
    if (const auto score = scorer_.Score(task, node)) order.emplace_back(*score, node);
  }
  // Nodes are sorted by name, and equal scores keep that order.
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [score, node] : order) {
    if (FittingNode(task, node) && PlaceOn(task, node)) return true;
  }
  // Requests by memory report no shortage. Otherwise, a pod without a reason gets the default text.
  if (real_ && cluster_.ClassOf(task).gpu.memory_mib == 0 && !cluster_.ErrorsOf(task)) {
    cluster_.ErrorsOf(task).emplace();
  }
  return false;
}

bool Allocator::FittingNode(TaskId task, NodeId node) {
  if (!cluster_.FitsIdleOrReleasing(task, node)) {
    if (real_) RecordShortage(task, node);
    return false;
  }
  std::vector<std::string> why;
  const bool passes = AllOf<Point::kFilter>(session_, [&](const auto& plugin) {
    return plugin.Filter(task, node, real_ ? &why : nullptr);
  });
  for (const std::string& reason : why) Record(task, reason);
  return passes;
}

void Allocator::Record(TaskId task, const std::string& reason) {
  auto& errors = cluster_.ErrorsOf(task);
  if (!errors) errors.emplace();
  ++errors->reasons[reason];
}

void Allocator::RecordShortage(TaskId id, NodeId node) {
  const PodClass& cls = cluster_.ClassOf(id);
  auto idle = cluster_.amounts().idle(node);
  const auto shortage = [&](std::string_view name) {
    Record(id, fmt::format("node(s) didn't have enough resources: {}", name));
  };
  if (cls.gpu.shared()) {
    if (MemoryOn(cls.gpu, cluster_.nodes()[node].gpu_memory) > cluster_.nodes()[node].gpu_memory) {
      shortage("GPU memory");
    } else if (cls.gpu.type == RequestType::kFraction) {
      int64_t devices = idle[kGpu] / kGpuUnit;
      for (const auto& group : cluster_.nodes()[node].groups) {
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
    if (cluster_.resources().IsMig(i)) {
      Record(id, fmt::format("node(s) didn't have enough of mig profile: {}",
                             cluster_.resources().Name(i)));
    } else {
      shortage(cluster_.resources().Name(i));
    }
  }
}

bool Allocator::PlaceOn(TaskId task, NodeId node) {
  std::vector<ZoneAmount> zones;
  if (session_.numa) {
    if (auto plan = session_.numa->Plan(task, node)) zones = std::move(*plan);
  }
  if (cluster_.ClassOf(task).gpu.shared()) return PlaceShared(task, node, std::move(zones));
  if (real_ && FitsIdle(session_, task, node)) {
    statement_->Allocate(task, node, 0, std::move(zones));
  } else {
    statement_->Pipeline(task, node, 0, std::move(zones), real_);
  }
  return true;
}

bool Allocator::PlaceShared(TaskId id, NodeId node_id, std::vector<ZoneAmount> zones) {
  const std::vector<const GpuGroup*> chosen = ChooseGpus(session_, id, node_id);
  if (static_cast<int64_t>(chosen.size()) < cluster_.ClassOf(id).gpu.count) return false;
  const bool idle = FitsIdle(session_, id, node_id);
  const auto begun = std::count(chosen.begin(), chosen.end(), nullptr);
  const bool whole = begun == 0 || cluster_.amounts().idle(node_id)[kGpu] >= begun * kGpuUnit;
  bool releasing = !real_ || !idle || !whole;
  std::vector<NameId> groups;
  for (const GpuGroup* group : chosen) {
    releasing |= group && !cluster_.FitsIdleOnGroup(id, node_id, *group);
    groups.push_back(group ? group->id : cluster_.NewGpuGroup());
  }
  const int32_t list = cluster_.InternGpuGroups(groups);
  if (releasing) {
    statement_->Pipeline(id, node_id, list, std::move(zones), real_);
  } else {
    statement_->Allocate(id, node_id, list, std::move(zones));
  }
  return true;
}

}  // namespace coppice::engine
