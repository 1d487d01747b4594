#include "engine/explain/room_search.h"

#include <algorithm>
#include <numeric>

#include "engine/state/jobs/status.h"
#include "engine/topology/topology_planner.h"

namespace coppice::engine {
namespace {

constexpr int64_t kManyGpus = int64_t{1} << 20;
// Pods times nodes. Above this limit, shortages of several resources are not searched.
constexpr size_t kMostToTry = 200'000;

// GPUs that hold the request on any node.
int64_t WholeGpus(const GpuRequest& gpu) {
  return std::max<int64_t>((gpu.Milli() + kGpuUnit - 1) / kGpuUnit, gpu.count);
}

int64_t Units(int64_t amount, int64_t unit) { return (amount + unit - 1) / unit; }

}  // namespace

RoomSearch::RoomSearch(Trial& trial)
    : trial_(trial),
      session_(trial.session()),
      cluster_(trial.cluster()),
      gang_(trial.gang()),
      tasks_(trial.tasks()),
      now_(cluster_.nodes().size()),
      most_(cluster_.nodes().size()),
      empty_(cluster_.nodes().size()),
      others_(cluster_.nodes().size()) {
  const Task& first = cluster_.tasks()[tasks_[0]];
  alike_ = std::all_of(tasks_.begin(), tasks_.end(), [&](TaskId id) {
    const Task& task = cluster_.tasks()[id];
    const bool claims = task.extras && !task.extras->claims.empty();
    return task.cls == first.cls && !claims;
  });
  const PodClass& cls = cluster_.ClassOf(first);
  if (alike_ && !cls.gpu.shared() && cls.gpu.mig.empty()) each_ = cls.gpu.Milli() / kGpuUnit;
  MeasureOthers();
  for (NodeId node : cluster_.node_order()) {
    now_[node] = CountOn(node, false);
    free_slots_ += now_[node];
    // A node without GPUs is of another kind, and gets none.
    const bool more = each_ > 0 && cluster_.amounts().allocatable(node)[kGpu] > 0;
    most_[node] = more ? CountOn(node, true) : now_[node];
  }
  FindNever();
}

int64_t RoomSearch::CountOn(NodeId node, bool unlimited_gpus) {
  Statement& statement = trial_.statement();
  const auto mark = statement.Mark();
  if (unlimited_gpus) cluster_.AddIdle(node, kGpu, kManyGpus * kGpuUnit);
  int64_t count = 0;
  for (TaskId task : tasks_) {
    const bool placed = trial_.allocator().PlaceOne(statement, task, node);
    if (!placed && alike_) break;
    count += placed;
  }
  statement.Rollback(mark);
  return count;
}

int64_t RoomSearch::EmptySlots() const {
  return alike_ ? std::accumulate(empty_.begin(), empty_.end(), int64_t{0}) : 0;
}

void RoomSearch::MeasureOthers() {
  for (NodeId node : cluster_.node_order()) {
    const auto all = cluster_.amounts().allocatable(node), idle = cluster_.amounts().idle(node);
    others_[node].resize(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      others_[node][i] = all[i] - std::max<int64_t>(idle[i], 0);
    }
  }
  for (TaskId id : gang_.AllTasks()) {
    const Task& task = cluster_.tasks()[id];
    if (task.node == kNone || !IsActive(task.status)) continue;
    const Amounts& request = cluster_.ClassOf(task).request;
    for (size_t i = 0; i < std::min(request.size(), others_[task.node].size()); ++i) {
      others_[task.node][i] -= request[i];
    }
  }
}

int64_t RoomSearch::HeldByOthers(NodeId node, int resource) const {
  return Units(std::max<int64_t>(At(others_[node], resource), 0), UnitOf(resource));
}

// The domains of the outermost required constraint; the whole cluster if there is none.
std::vector<RoomSearch::Domain> RoomSearch::Domains() const {
  const Job& job = gang_.job();
  Constraint constraint = job.sets[0].constraint;
  if (!constraint.required && job.pod_sets.size() == 1) constraint = job.pod_sets[0].constraint;
  const TopologyTree* tree = session_.topology && constraint.required
                                 ? session_.topology->TreeOf(constraint.topology)
                                 : nullptr;
  if (!tree) return {{"", cluster_.node_order()}};
  std::vector<Domain> domains;
  const int level = tree->LevelOf(constraint.required);
  for (const auto& domain : tree->domains()) {
    if (domain.level == level) domains.push_back({domain.id, domain.nodes});
  }
  return domains;
}

std::optional<RoomSearch::Answer> RoomSearch::FewestGpus(const Domain& domain,
                                                         Source source) const {
  int64_t needed = static_cast<int64_t>(tasks_.size());
  std::vector<Missing> steps;  // Each makes room for one more pod.
  for (NodeId node : domain.nodes) {
    needed -= now_[node];
    const int64_t free =
        (cluster_.amounts().idle(node)[kGpu] + cluster_.amounts().releasing(node)[kGpu]) / kGpuUnit;
    const int64_t most =
        source == Source::kOthers ? std::min(most_[node], empty_[node]) : most_[node];
    for (int64_t more = 1; now_[node] + more <= most; ++more) {
      steps.push_back({node, more == 1 ? each_ * (now_[node] + 1) - free : each_});
    }
  }
  if (needed <= 0 || needed > static_cast<int64_t>(steps.size())) return std::nullopt;
  // A node's first step never costs more than its later ones, so the cheapest steps are always
  // valid.
  std::stable_sort(steps.begin(), steps.end(),
                   [](const auto& a, const auto& b) { return a.units < b.units; });
  Answer answer{domain.id, {}};
  for (int64_t i = 0; i < needed; ++i) {
    auto known = std::find_if(answer.missing.begin(), answer.missing.end(),
                              [&](const auto& part) { return part.node == steps[i].node; });
    if (known == answer.missing.end()) {
      answer.missing.push_back(steps[i]);
    } else {
      known->units += steps[i].units;
    }
  }
  return answer;
}

std::optional<RoomSearch::Answer> RoomSearch::Smallest(Source source) {
  std::optional<Answer> best;
  const auto consider = [&](std::optional<Answer> answer) {
    if (!answer || !CanGive(answer->missing, source)) return;
    if (best && CostOf(best->missing) <= CostOf(answer->missing)) return;
    if (Proved(*answer)) best = std::move(answer);
  };
  const auto domains = Domains();
  for (const auto& domain : domains) {
    if (each_ > 0) consider(FewestGpus(domain, source));
  }
  if (best || tasks_.size() * cluster_.node_order().size() > kMostToTry) return best;
  for (const auto& domain : domains) {
    consider(Found(domain, source, false));
    if (!alike_) consider(Found(domain, source, true));
  }
  return best;
}

// GPUs first, then the fraction of the node.
double RoomSearch::CostOf(const std::vector<Missing>& missing) const {
  double cost = 0;
  for (const auto& [node, units, resource] : missing) {
    const auto amount = static_cast<double>(units * UnitOf(resource));
    const auto all = static_cast<double>(cluster_.amounts().allocatable(node)[resource]);
    cost += resource == kGpu ? 1000.0 * static_cast<double>(units) : amount / std::max(all, 1.0);
  }
  return cost;
}

bool RoomSearch::CanGive(const std::vector<Missing>& missing, Source source) const {
  if (source == Source::kHardware) return true;
  for (const auto& each : missing) {
    int64_t units = 0;
    for (const auto& other : missing) {
      const bool same = other.node == each.node && other.resource == each.resource;
      units += same ? other.units : 0;
    }
    if (units > HeldByOthers(each.node, each.resource)) return false;
  }
  return true;
}

// For pods of different kinds, GPU fractions, or resources other than GPUs: adds capacity pod by
// pod where the least is missing, then removes what is not needed.
std::optional<RoomSearch::Answer> RoomSearch::Found(const Domain& domain, Source source,
                                                    bool largest_first) {
  Answer answer{domain.id, {}};
  std::vector<TaskId> tasks = tasks_;
  if (largest_first) {
    std::stable_sort(tasks.begin(), tasks.end(), [&](TaskId a, TaskId b) {
      return WholeGpus(cluster_.ClassOf(a).gpu) > WholeGpus(cluster_.ClassOf(b).gpu);
    });
  }
  const auto mark = trial_.statement().Mark();
  const bool placed = std::all_of(tasks.begin(), tasks.end(), [&](TaskId task) {
    return PlaceSomewhere(task, domain, source, answer.missing);
  });
  trial_.statement().Rollback(mark);
  if (!placed || !trial_.Runs(answer.missing)) answer.missing = RoomOnOneNode(domain, source);
  answer.missing = Trimmed(answer.missing);
  if (answer.missing.empty()) return std::nullopt;
  return answer;
}

// For pods that consume the additions in another order than planned: puts everything on one node.
std::vector<Missing> RoomSearch::RoomOnOneNode(const Domain& domain, Source source) {
  std::vector<Missing> best;
  for (NodeId node : domain.nodes) {
    std::vector<Missing> all;
    for (TaskId task : tasks_) {
      const PodClass& cls = cluster_.ClassOf(task);
      for (int i = 0; i < static_cast<int>(cls.request.size()); ++i) {
        const int64_t amount = i == kGpu ? WholeGpus(cls.gpu) * kGpuUnit : cls.request[i];
        if (amount <= 0 || cluster_.amounts().allocatable(node)[i] == 0) continue;
        all.push_back({node, Units(amount, UnitOf(i)), i});
      }
    }
    if (!trial_.Runs(all)) continue;
    all = Trimmed(all);
    if (CanGive(all, source) && (best.empty() || CostOf(all) < CostOf(best))) best = all;
  }
  return best;
}

// What the node lacks for the pod, except GPUs. A resource that the node does not have at all
// cannot be added.
std::vector<Missing> RoomSearch::LackingOn(TaskId task, NodeId node) const {
  std::vector<Missing> lacking;
  const Amounts& request = cluster_.ClassOf(task).request;
  const auto idle = cluster_.amounts().idle(node), releasing = cluster_.amounts().releasing(node);
  for (int i = 0; i < static_cast<int>(request.size()); ++i) {
    const int64_t lack = request[i] - idle[i] - releasing[i];
    if (i == kGpu || lack <= 0 || cluster_.amounts().allocatable(node)[i] == 0) continue;
    lacking.push_back({node, Units(lack, UnitOf(i)), i});
  }
  return lacking;
}

bool RoomSearch::PlaceSomewhere(TaskId task, const Domain& domain, Source source,
                                std::vector<Missing>& added) {
  std::vector<NodeId> nodes = domain.nodes;
  std::vector<std::vector<Missing>> lacking(cluster_.nodes().size());
  for (NodeId node : nodes) lacking[node] = LackingOn(task, node);
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](NodeId a, NodeId b) { return CostOf(lacking[a]) < CostOf(lacking[b]); });
  const int64_t most = WholeGpus(cluster_.ClassOf(task).gpu);
  for (int64_t gpus = 0; gpus <= most; ++gpus) {
    for (NodeId node : nodes) {
      if (gpus > 0 && cluster_.amounts().allocatable(node)[kGpu] == 0) continue;
      std::vector<Missing> more = lacking[node];
      if (gpus > 0) more.push_back({node, gpus, kGpu});
      std::vector<Missing> all = added;
      all.insert(all.end(), more.begin(), more.end());
      if (!CanGive(all, source)) continue;
      const auto mark = trial_.statement().Mark();
      trial_.Add(more);
      if (trial_.allocator().PlaceOne(trial_.statement(), task, node)) {
        added = std::move(all);
        return true;
      }
      trial_.statement().Rollback(mark);
    }
  }
  return false;
}

std::vector<Missing> RoomSearch::Trimmed(const std::vector<Missing>& added) {
  std::vector<Missing> parts;
  for (const auto& each : added) {
    auto known = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
      return part.node == each.node && part.resource == each.resource;
    });
    if (known == parts.end()) {
      parts.push_back(each);
    } else {
      known->units += each.units;
    }
  }
  // Reducing one part may allow reducing another, so repeat until nothing changes.
  for (bool less = true; less;) {
    less = false;
    for (size_t i = 0; i < parts.size(); ++i) less |= Shrink(parts, i);
  }
  std::erase_if(parts, [](const auto& part) { return part.units == 0; });
  return parts;
}

// Reduces one part by bisection; returns whether that was possible.
bool RoomSearch::Shrink(std::vector<Missing>& missing, size_t part) {
  const int64_t before = missing[part].units;
  --missing[part].units;
  if (before == 0 || !trial_.Runs(missing)) {  // Usually the shortage is exactly what is needed.
    missing[part].units = before;
    return false;
  }
  int64_t enough = before - 1, too_little = -1;
  while (enough - too_little > 1) {
    missing[part].units = too_little + (enough - too_little) / 2;
    (trial_.Runs(missing) ? enough : too_little) = missing[part].units;
  }
  missing[part].units = enough;
  return enough < before;
}

bool RoomSearch::Proved(const Answer& answer) {
  if (!trial_.Runs(answer.missing)) return false;
  for (size_t i = 0; i < answer.missing.size(); ++i) {
    auto less = answer.missing;
    --less[i].units;
    if (trial_.Runs(less)) return false;
  }
  return true;
}

// All nodes together hold fewer pods of `size` or more GPUs than there are such pods.
bool RoomSearch::BoundHolds(const std::vector<NodeId>& nodes) const {
  if (alike_) {
    int64_t room = 0;
    for (NodeId node : nodes) room += empty_[node];
    return room < static_cast<int64_t>(tasks_.size());
  }
  for (TaskId measure : tasks_) {
    const int64_t size = cluster_.RequestedQuota(cluster_.tasks()[measure]);
    if (size <= 0) continue;
    const int64_t pods = std::count_if(tasks_.begin(), tasks_.end(), [&](TaskId task) {
      return cluster_.RequestedQuota(cluster_.tasks()[task]) >= size;
    });
    int64_t room = 0;
    for (NodeId node : nodes) {
      room += TotalGpus(cluster_.resources(), cluster_.amounts().allocatable(node)) / size;
    }
    if (room < pods) return true;
  }
  return false;
}

// The most pods, then the most GPUs, then the first.
void RoomSearch::FindNearest(const std::vector<Domain>& domains) {
  for (const Domain& domain : domains) {
    if (domain.id.empty()) return;  // The whole cluster.
    Nearest found{domain.id};
    for (NodeId node : domain.nodes) {
      found.gpus += TotalGpus(cluster_.resources(), cluster_.amounts().allocatable(node));
      found.pods += alike_ ? empty_[node] : 0;
    }
    const auto size = [](const Nearest& nearest) { return std::pair(nearest.pods, nearest.gpus); };
    if (!nearest_ || size(found) > size(*nearest_)) nearest_ = std::move(found);
  }
}

void RoomSearch::FindNever() {
  Statement& statement = trial_.statement();
  const auto mark = statement.Mark();
  trial_.EvictOthers();
  for (NodeId node : cluster_.node_order()) empty_[node] = CountOn(node, false);
  for (TaskId task : tasks_) {
    const auto& nodes = cluster_.node_order();
    fits_nowhere_ |= std::none_of(nodes.begin(), nodes.end(), [&](NodeId node) {
      const auto before = statement.Mark();
      const bool placed = trial_.allocator().PlaceOne(statement, task, node);
      statement.Rollback(before);
      return placed;
    });
    if (alike_) break;
  }
  statement.Rollback(mark);
  const auto domains = Domains();
  never_ = fits_nowhere_ || std::all_of(domains.begin(), domains.end(),
                                        [&](const auto& d) { return BoundHolds(d.nodes); });
  if (never_ && !fits_nowhere_) FindNearest(domains);
}

}  // namespace coppice::engine
