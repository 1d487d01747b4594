#include "engine/room_search.h"

#include <algorithm>
#include <limits>

#include "engine/topology_planner.h"

namespace coppice::engine {
namespace {

constexpr int64_t kManyGpus = int64_t{1} << 20;

// GPUs that hold the request wherever it goes.
int64_t WholeGpus(const GpuRequest& gpu) {
  return std::max<int64_t>((gpu.Milli() + kGpuUnit - 1) / kGpuUnit, gpu.count);
}

}  // namespace

int64_t RoomSearch::Answer::Total() const {
  int64_t total = 0;
  for (const auto& part : missing) total += part.gpus;
  return total;
}

RoomSearch::RoomSearch(Session& session, Allocator& allocator, Statement& statement,
                       const Gang& gang)
    : session_(session),
      cluster_(session.cluster),
      allocator_(allocator),
      statement_(statement),
      gang_(gang),
      tasks_(gang.TasksToAllocate(true)),
      now_(cluster_.nodes.size()),
      most_(cluster_.nodes.size()) {
  const bool alike = std::all_of(tasks_.begin(), tasks_.end(), [&](TaskId task) {
    return cluster_.tasks[task].cls == cluster_.tasks[tasks_[0]].cls;
  });
  const PodClass& cls = cluster_.ClassOf(tasks_[0]);
  if (alike && !cls.gpu.shared() && cls.gpu.mig.empty()) each_ = cls.gpu.Milli() / kGpuUnit;
  for (NodeId node : cluster_.node_order) {
    now_[node] = CountOn(node, false);
    free_slots_ += now_[node];
    if (each_ > 0) {
      // A node without any GPU is of another kind, and stays so.
      const bool has_gpus = cluster_.amounts.allocatable(node)[kGpu] > 0;
      most_[node] = has_gpus ? CountOn(node, true) : now_[node];
      const int64_t free =
          cluster_.amounts.idle(node)[kGpu] + cluster_.amounts.releasing(node)[kGpu];
      slots_by_amounts_ += std::max<int64_t>(free, 0) / kGpuUnit / each_;
    }
  }
}

int64_t RoomSearch::CountOn(NodeId node, bool unlimited_gpus) {
  const auto mark = statement_.Mark();
  if (unlimited_gpus) cluster_.AddIdleGpus(node, kManyGpus);
  int64_t count = 0;
  for (TaskId task : tasks_) count += allocator_.PlaceOne(statement_, task, node);
  statement_.Rollback(mark);
  return count;
}

// The domains of the outermost constraint that requires one; the whole cluster without any.
std::vector<RoomSearch::Domain> RoomSearch::Domains() const {
  const Job& job = gang_.job();
  Constraint constraint = job.sets[0].constraint;
  if (!constraint.required && job.pod_sets.size() == 1) constraint = job.pod_sets[0].constraint;
  const TopologyTree* tree = session_.topology && constraint.required
                                 ? session_.topology->TreeOf(constraint.topology)
                                 : nullptr;
  if (!tree) return {{"", cluster_.node_order}};
  std::vector<Domain> domains;
  const int level = tree->LevelOf(constraint.required);
  for (const auto& domain : tree->domains()) {
    if (domain.level == level) domains.push_back({domain.id, domain.nodes});
  }
  return domains;
}

std::optional<RoomSearch::Answer> RoomSearch::SmallestIn(const Domain& domain) const {
  int64_t needed = static_cast<int64_t>(tasks_.size());
  std::vector<Missing> steps;  // Each makes room for one more pod.
  for (NodeId node : domain.nodes) {
    needed -= now_[node];
    const int64_t free =
        (cluster_.amounts.idle(node)[kGpu] + cluster_.amounts.releasing(node)[kGpu]) / kGpuUnit;
    for (int64_t more = 1; now_[node] + more <= most_[node]; ++more) {
      steps.push_back({node, more == 1 ? each_ * (now_[node] + 1) - free : each_});
    }
  }
  if (needed <= 0 || needed > static_cast<int64_t>(steps.size())) return std::nullopt;
  // A node's first step is never dearer than its later ones, so that the cheapest are possible.
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a.gpus < b.gpus; });
  Answer answer{domain.id, {}};
  for (int64_t i = 0; i < needed; ++i) {
    auto known = std::find_if(answer.missing.begin(), answer.missing.end(),
                              [&](const auto& part) { return part.node == steps[i].node; });
    if (known == answer.missing.end()) {
      answer.missing.push_back(steps[i]);
    } else {
      known->gpus += steps[i].gpus;
    }
  }
  return answer;
}

std::optional<RoomSearch::Answer> RoomSearch::Smallest() {
  std::optional<Answer> best;
  for (const auto& domain : Domains()) {
    const auto answer = each_ > 0 ? SmallestIn(domain) : Found(domain);
    if (answer && (!best || answer->Total() < best->Total())) best = answer;
  }
  if (!best || !Proved(*best)) return std::nullopt;
  return best;
}

// Pods of different kinds, or parts of GPUs: adds GPUs pod by pod where the fewest are lacking,
// then takes away whatever is not needed.
std::optional<RoomSearch::Answer> RoomSearch::Found(const Domain& domain) {
  Answer answer{domain.id, {}};
  const auto mark = statement_.Mark();
  const bool placed = std::all_of(tasks_.begin(), tasks_.end(), [&](TaskId task) {
    return PlaceSomewhere(task, domain, answer.missing);
  });
  statement_.Rollback(mark);
  if (!placed || !Runs(answer.missing)) answer.missing = RoomOnOneNode(domain);
  if (answer.missing.empty()) return std::nullopt;
  answer.missing = Trimmed(std::move(answer.missing));
  return answer;
}

// Where pods take the added GPUs in another order than they were added for: all of them on a node.
std::vector<RoomSearch::Missing> RoomSearch::RoomOnOneNode(const Domain& domain) {
  int64_t all = 0;
  for (TaskId task : tasks_) all += WholeGpus(cluster_.ClassOf(task).gpu);
  for (NodeId node : domain.nodes) {
    if (cluster_.amounts.allocatable(node)[kGpu] == 0) continue;
    if (Runs({{node, all}})) return {{node, all}};
  }
  return {};
}

bool RoomSearch::PlaceSomewhere(TaskId task, const Domain& domain, std::vector<Missing>& added) {
  const int64_t most = WholeGpus(cluster_.ClassOf(task).gpu);
  for (int64_t gpus = 0; gpus <= most; ++gpus) {
    for (NodeId node : domain.nodes) {
      if (gpus > 0 && cluster_.amounts.allocatable(node)[kGpu] == 0) continue;
      const auto mark = statement_.Mark();
      if (gpus > 0) cluster_.AddIdleGpus(node, gpus);
      if (allocator_.PlaceOne(statement_, task, node)) {
        if (gpus > 0) added.push_back({node, gpus});
        return true;
      }
      statement_.Rollback(mark);
    }
  }
  return false;
}

std::vector<RoomSearch::Missing> RoomSearch::Trimmed(std::vector<Missing> added) {
  std::vector<Missing> by_node;
  for (const auto& [node, gpus] : added) {
    auto known = std::find_if(by_node.begin(), by_node.end(),
                              [id = node](const auto& part) { return part.node == id; });
    if (known == by_node.end()) known = by_node.insert(known, {node, 0});
    known->gpus += gpus;
  }
  // Less here may make less there possible, so that it goes on until nothing does.
  for (bool less = true; less;) {
    less = false;
    for (auto& part : by_node) {
      while (part.gpus > 0) {
        --part.gpus;
        if (Runs(by_node)) {
          less = true;
          continue;
        }
        ++part.gpus;
        break;
      }
    }
  }
  std::erase_if(by_node, [](const auto& part) { return part.gpus == 0; });
  return by_node;
}

bool RoomSearch::Runs(const std::vector<Missing>& added) {
  const auto mark = statement_.Mark();
  for (const auto& [node, gpus] : added) cluster_.AddIdleGpus(node, gpus);
  // A set of its own, so that no order of nodes is kept from before.
  const NodeSet nodes = cluster_.node_order;
  allocator_.NewNodeSet();
  const bool placed = allocator_.AllocateJob(statement_, gang_, nodes, true, nullptr);
  allocator_.NewNodeSet();
  statement_.Rollback(mark);
  return placed;
}

bool RoomSearch::Proved(const Answer& answer) {
  if (!Runs(answer.missing)) return false;
  for (size_t i = 0; i < answer.missing.size(); ++i) {
    auto less = answer.missing;
    --less[i].gpus;
    if (Runs(less)) return false;
  }
  return true;
}

void RoomSearch::EvictAll() {
  for (TaskId id = 0; id < static_cast<TaskId>(cluster_.tasks.size()); ++id) {
    const Task& task = cluster_.tasks[id];
    const bool own = task.job == gang_.id();
    if (!own && task.node != kNone && task.job != kNone && IsActive(task.status)) {
      statement_.Evict(id);
    }
  }
}

// Every node takes fewer of the pods that ask for `size` GPUs or more than there are such pods.
bool RoomSearch::BoundHolds(const std::vector<NodeId>& nodes) const {
  if (each_ > 0) {
    int64_t room = 0;
    for (NodeId node : nodes) room += now_[node];
    return room < static_cast<int64_t>(tasks_.size());
  }
  for (TaskId measure : tasks_) {
    const int64_t size = cluster_.RequestedQuota(cluster_.tasks[measure]);
    if (size <= 0) continue;
    const int64_t pods = std::count_if(tasks_.begin(), tasks_.end(), [&](TaskId task) {
      return cluster_.RequestedQuota(cluster_.tasks[task]) >= size;
    });
    int64_t room = 0;
    for (NodeId node : nodes) {
      room += TotalGpus(cluster_.resources, cluster_.amounts.allocatable(node)) / size;
    }
    if (room < pods) return true;
  }
  return false;
}

bool RoomSearch::NeverFits() {
  const auto mark = statement_.Mark();
  EvictAll();
  for (TaskId task : tasks_) {
    const bool somewhere =
        std::any_of(cluster_.node_order.begin(), cluster_.node_order.end(), [&](NodeId node) {
          const auto before = statement_.Mark();
          const bool placed = allocator_.PlaceOne(statement_, task, node);
          statement_.Rollback(before);
          return placed;
        });
    fits_nowhere_ |= !somewhere;
  }
  const auto now = now_;
  for (NodeId node : cluster_.node_order) now_[node] = CountOn(node, false);
  const auto domains = Domains();
  const bool never =
      fits_nowhere_ || std::all_of(domains.begin(), domains.end(),
                                   [&](const auto& d) { return BoundHolds(d.nodes); });
  now_ = now;
  statement_.Rollback(mark);
  return never;
}

}  // namespace coppice::engine
