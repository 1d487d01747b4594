#include "engine/session/gang.h"

#include <algorithm>

#include "engine/state/jobs/working.h"

namespace coppice::engine {

StatusCounts Gang::CountSlice(int pod_set) const {
  StatusCounts counts;
  for (TaskId task : slice_->pod_sets[pod_set].tasks) counts.Add(cluster_->tasks()[task].status, 1);
  return counts;
}

int Gang::Threshold(int set) const {
  if (!slice_) return job().sets[set].Threshold();
  const auto& min = slice_->set_mins[set];
  return min ? *min : static_cast<int>(job().sets[set].members.size());
}

int Gang::TotalActive() const {
  int active = 0;
  for (int i = 0; i < static_cast<int>(job().pod_sets.size()); ++i) active += Active(i);
  return active;
}

bool Gang::HasPending() const {
  for (int i = 0; i < static_cast<int>(job().pod_sets.size()); ++i) {
    if (Counts(i).Of(TaskStatus::kPending) > 0) return true;
  }
  return false;
}

bool Gang::SetSatisfied(int set) const {
  int satisfied = 0;
  for (const auto& member : job().sets[set].members) satisfied += Satisfied(member);
  return satisfied >= Threshold(set);
}

bool Gang::PodSetReady(int pod_set) const {
  const StatusCounts counts = Counts(pod_set);
  return counts.Alive() - counts.Of(TaskStatus::kGated) >= Min(pod_set);
}

bool Gang::SetReady(int set) const {
  int ready = 0;
  for (const auto& member : job().sets[set].members) {
    ready += member.is_set ? SetReady(member.index) : PodSetReady(member.index);
  }
  return ready >= Threshold(set);
}

bool Gang::Contains(const SubGroupSet::Member& member, int pod_set) const {
  if (!member.is_set) return member.index == pod_set;
  for (int at = job().pod_sets[pod_set].parent; at != kNone; at = job().sets[at].parent) {
    if (at == member.index) return true;
  }
  return false;
}

bool Gang::GangSatisfied() const {
  for (int i = 0; i < static_cast<int>(job().pod_sets.size()); ++i) {
    if (Counts(i).Used() < Min(i)) return false;
  }
  return true;
}

bool Gang::UsesEnough(int set) const {
  int enough = 0;
  for (const auto& member : job().sets[set].members) {
    enough += member.is_set ? UsesEnough(member.index)
                            : Working(Counts(member.index)) >= Min(member.index);
  }
  return enough >= Threshold(set);
}

bool Gang::Elastic() const {
  for (int i = 0; i < static_cast<int>(job().pod_sets.size()); ++i) {
    if (Min(i) < static_cast<int>(Tasks(i).size())) return true;
  }
  return false;
}

// Sub-groups beyond the required number may be missing, but must not run in part.
bool Gang::Stale() const {
  int succeeded = 0, working = 0;
  bool in_part = false;
  for (int i = 0; i < static_cast<int>(job().pod_sets.size()); ++i) {
    const StatusCounts counts = Counts(i);
    succeeded += counts.Of(TaskStatus::kSucceeded);
    working += Working(counts);
    in_part |= Working(counts) > 0 && Working(counts) < Min(i);
  }
  return succeeded == 0 && working > 0 && (in_part || !UsesEnough(0));
}

bool Gang::MustPipeline() const {
  for (int i = 0; i < static_cast<int>(job().pod_sets.size()); ++i) {
    const StatusCounts counts = Counts(i);
    const int pipelined = counts.Of(TaskStatus::kPipelined);
    if (pipelined > 0 && counts.Active() - pipelined < Min(i)) return true;
  }
  return false;
}

bool Gang::ShouldAllocate(TaskId id, bool real) const {
  const Task& task = cluster_->tasks()[id];
  if (task.status == TaskStatus::kPending) return true;
  return !real && task.status == TaskStatus::kReleasing && task.is_virtual;
}

NameId Gang::NameOf(const SubGroupSet::Member& member) const {
  return member.is_set ? job().sets[member.index].name : job().pod_sets[member.index].name;
}

void Gang::CountMember(const SubGroupSet::Member& member, int& count, int& threshold) const {
  if (!member.is_set) {
    count = Active(member.index);
    threshold = Min(member.index);
    return;
  }
  count = 0;
  for (const auto& below : job().sets[member.index].members) count += Satisfied(below);
  threshold = Threshold(member.index);
}

// Negative if `l` comes first (docs/behaviour/engine.md S-79).
int Gang::CompareMembers(const SubGroupSet::Member& l, const SubGroupSet::Member& r) const {
  int lc, lt, rc, rt;
  CountMember(l, lc, lt);
  CountMember(r, rc, rt);
  const bool l_below = lc < lt, r_below = rc < rt;
  if (l_below && r_below) return 0;
  if (l_below != r_below) return l_below ? -1 : 1;
  if (lt == 0 && rt == 0) return lc - rc;
  if (lt == 0 || rt == 0) return lt == 0 ? 1 : -1;
  const int64_t left = static_cast<int64_t>(lc) * rt, right = static_cast<int64_t>(rc) * lt;
  return left < right ? -1 : left > right;
}

std::span<const SubGroupSet::Member> Gang::OrderedMembers(int set, Members& room) const {
  const Members& members = job().sets[set].members;  // Sorted by name.
  if (members.size() < 2 || !cluster_->orders_sub_groups()) return members;
  room = members;
  std::stable_sort(room.begin(), room.end(),
                   [&](const auto& l, const auto& r) { return CompareMembers(l, r) < 0; });
  return room;
}

void Gang::Take(int pod_set, bool real, std::vector<TaskId>& out) const {
  const int active = Active(pod_set), min = Min(pod_set);
  size_t wanted = active >= min ? 1 : static_cast<size_t>(min - active);
  out.reserve(out.size() + std::min(wanted, Tasks(pod_set).size()));
  for (TaskId task : Tasks(pod_set)) {
    if (wanted == 0) break;
    if (!ShouldAllocate(task, real)) continue;
    out.push_back(task);
    --wanted;
  }
}

bool Gang::Satisfiable(const SubGroupSet::Member& member, bool real) const {
  if (member.is_set) {
    int count = 0;
    for (const auto& below : job().sets[member.index].members) count += Satisfiable(below, real);
    return count >= Threshold(member.index);
  }
  int count = Active(member.index);
  for (TaskId task : Tasks(member.index)) count += ShouldAllocate(task, real);
  return count >= Min(member.index);
}

void Gang::Collect(int set, bool real, std::vector<TaskId>& out) const {
  Members room;
  auto members = OrderedMembers(set, room);
  const bool satisfied = SetSatisfied(set);
  if (!satisfied && Threshold(set) < static_cast<int>(members.size())) {
    // A member that lacks pods would run in part, so members with enough pods come first.
    room.assign(members.begin(), members.end());
    std::stable_partition(room.begin(), room.end(),
                          [&](const auto& member) { return Satisfiable(member, real); });
    members = room;
  }
  const size_t before = out.size();
  int left = Threshold(set);
  if (!satisfied) {
    for (const auto& member : members) left -= Satisfied(member);
  }
  for (const auto& member : members) {
    if (!satisfied && Satisfied(member)) continue;
    if (!satisfied && left-- <= 0) break;
    member.is_set ? Collect(member.index, real, out) : Take(member.index, real, out);
    // A satisfied gang grows one step at a time.
    if (satisfied && out.size() > before) break;
  }
}

std::vector<TaskId> Gang::TasksToAllocate(bool real) const {
  std::vector<TaskId> tasks;
  Collect(0, real, tasks);
  return tasks;
}

void Gang::ActiveTasks(const SubGroupSet::Member& member, std::vector<TaskId>& out) const {
  if (member.is_set) {
    for (const auto& below : job().sets[member.index].members) ActiveTasks(below, out);
    return;
  }
  for (TaskId task : Tasks(member.index)) {
    if (IsActive(cluster_->tasks()[task].status)) out.push_back(task);
  }
}

TaskId Gang::LastActive(int pod_set) const {
  const auto tasks = Tasks(pod_set);
  return *std::find_if(tasks.rbegin(), tasks.rend(),
                       [&](TaskId task) { return IsActive(cluster_->tasks()[task].status); });
}

bool Gang::HasSurplus(int set) const {
  int satisfied = 0;
  for (const auto& member : job().sets[set].members) {
    satisfied += Satisfied(member);
    if (member.is_set ? HasSurplus(member.index) : Active(member.index) > Min(member.index)) {
      return true;
    }
  }
  return satisfied > Threshold(set);
}

void Gang::EvictElastic(int set, std::vector<TaskId>& out) const {
  Members room;
  const auto members = OrderedMembers(set, room);  // The last is evicted first.
  int satisfied = 0;
  for (const auto& member : members) satisfied += Satisfied(member);
  if (satisfied == 0) return;
  if (HasSurplus(set)) {
    for (auto member = members.rbegin(); member != members.rend(); ++member) {
      if (member->is_set) {
        EvictElastic(member->index, out);
      } else if (Active(member->index) > Min(member->index)) {
        out.push_back(LastActive(member->index));
      }
      if (!out.empty()) return;
    }
  }
  if (Threshold(set) >= satisfied) return;
  for (auto member = members.rbegin(); member != members.rend() && out.empty(); ++member) {
    ActiveTasks(*member, out);
  }
}

std::vector<TaskId> Gang::TasksToEvict(bool& remains) const {
  std::vector<TaskId> victims;
  EvictElastic(0, victims);
  if (victims.empty()) ActiveTasks({true, 0}, victims);
  remains = static_cast<int>(victims.size()) < TotalActive();
  return victims;
}

Quantities Gang::RequestOf(std::span<const TaskId> tasks) const {
  Quantities sum;
  for (TaskId id : tasks) {
    const PodClass& cls = cluster_->ClassOf(id);
    sum[0] += static_cast<double>(cls.request[kCpu]);
    sum[1] += static_cast<double>(cls.request[kMemory]);
    sum[2] += static_cast<double>(cls.all_gpus);
    if (cls.gpu.memory_mib > 0 && cluster_->nodes().min_gpu_memory()) {
      sum[2] += static_cast<double>(cls.gpu.count * cls.gpu.memory_mib * kGpuUnit) /
                static_cast<double>(*cluster_->nodes().min_gpu_memory());
    }
  }
  return sum;
}

Quantities Gang::InitialRequest(bool real) const { return RequestOf(TasksToAllocate(real)); }

Sums Gang::AllocatedRequest() const {
  Sums sum;
  for (int i = 0; i < static_cast<int>(job().pod_sets.size()); ++i) {
    for (TaskId id : Tasks(i)) {
      if (!IsAllocated(cluster_->tasks()[id].status)) continue;
      const PodClass& cls = cluster_->ClassOf(id);
      sum.Add({{cls.request[kCpu], cls.request[kMemory], cls.all_gpus}}, +1);
    }
  }
  return sum;
}

std::vector<TaskId> Gang::AllTasks() const {
  std::vector<TaskId> all;
  for (int i = 0; i < static_cast<int>(job().pod_sets.size()); ++i) {
    const auto some = Tasks(i);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace coppice::engine
