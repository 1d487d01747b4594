#include "engine/explain/room_search.h"

#include <algorithm>
#include <limits>

#include "engine/topology/topology_planner.h"

namespace coppice::engine {
namespace {

constexpr int64_t kManyGpus = int64_t{1} << 20;
// Pods times nodes; beyond, what is missing of several resources is not looked for.
constexpr size_t kMostToTry = 200'000;

// GPUs that hold the request wherever it goes.
int64_t WholeGpus(const GpuRequest& gpu) {
  return std::max<int64_t>((gpu.Milli() + kGpuUnit - 1) / kGpuUnit, gpu.count);
}

int64_t Units(int64_t amount, int64_t unit) { return (amount + unit - 1) / unit; }

}  // namespace

int64_t RoomSearch::UnitOf(int resource) {
  return resource == kGpu ? kGpuUnit : resource == kMemory ? 1'000'000 : 1;
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
  allocator_.SupposeLargerNodes(true);
  const Task& first = cluster_.tasks[tasks_[0]];
  alike_ = std::all_of(tasks_.begin(), tasks_.end(), [&](TaskId id) {
    const Task& task = cluster_.tasks[id];
    const bool claims = task.extras && !task.extras->claims.empty();
    return task.cls == first.cls && !claims;
  });
  const PodClass& cls = cluster_.ClassOf(first);
  if (alike_ && !cls.gpu.shared() && cls.gpu.mig.empty()) each_ = cls.gpu.Milli() / kGpuUnit;
  for (NodeId node : cluster_.node_order) {
    now_[node] = CountOn(node, false);
    free_slots_ += now_[node];
    // A node without any GPU is of another kind, and stays so.
    const bool more = each_ > 0 && cluster_.amounts.allocatable(node)[kGpu] > 0;
    most_[node] = more ? CountOn(node, true) : now_[node];
  }
  allocator_.Ignore(PlacementRules::All());
  for (NodeId node : cluster_.node_order) slots_by_amounts_ += CountOn(node, false);
  allocator_.Ignore({});
}

RoomSearch::~RoomSearch() { allocator_.SupposeLargerNodes(false); }

int64_t RoomSearch::CountOn(NodeId node, bool unlimited_gpus) {
  const auto mark = statement_.Mark();
  if (unlimited_gpus) cluster_.AddIdle(node, kGpu, kManyGpus * kGpuUnit);
  int64_t count = 0;
  for (TaskId task : tasks_) {
    const bool placed = allocator_.PlaceOne(statement_, task, node);
    if (!placed && alike_) break;
    count += placed;
  }
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

std::optional<RoomSearch::Answer> RoomSearch::FewestGpus(const Domain& domain) const {
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
                   [](const auto& a, const auto& b) { return a.units < b.units; });
  Answer answer{domain.id, {}, {}};
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

std::optional<RoomSearch::Answer> RoomSearch::Smallest() {
  if (auto answer = MoreRoom()) return answer;
  Answer answer{"", {}, InTheWay({})};
  if (!answer.dropped.empty()) return answer;
  // Neither room nor other rules alone.
  allocator_.Ignore(PlacementRules::All());
  auto both = MoreRoom();
  allocator_.Ignore({});
  if (!both) return std::nullopt;
  both->dropped = InTheWay(both->missing);
  return both;
}

std::optional<RoomSearch::Answer> RoomSearch::MoreRoom() {
  std::optional<Answer> best;
  const auto consider = [&](std::optional<Answer> answer) {
    if (!answer || (best && CostOf(best->missing) <= CostOf(answer->missing))) return;
    if (Proved(*answer)) best = std::move(answer);
  };
  const auto domains = Domains();
  for (const auto& domain : domains) {
    if (each_ > 0) consider(FewestGpus(domain));
  }
  if (best || tasks_.size() * cluster_.node_order.size() > kMostToTry) return best;
  for (const auto& domain : domains) consider(Found(domain));
  return best;
}

// GPUs first; then how much of a node it is.
double RoomSearch::CostOf(const std::vector<Missing>& missing) const {
  double cost = 0;
  for (const auto& [node, units, resource] : missing) {
    const auto amount = static_cast<double>(units * UnitOf(resource));
    const auto all = static_cast<double>(cluster_.amounts.allocatable(node)[resource]);
    cost += resource == kGpu ? 1000.0 * static_cast<double>(units) : amount / std::max(all, 1.0);
  }
  return cost;
}

// Pods of different kinds, parts of GPUs, or other resources than GPUs: adds pod by pod where the
// least is lacking, then takes away whatever is not needed.
std::optional<RoomSearch::Answer> RoomSearch::Found(const Domain& domain) {
  Answer answer{domain.id, {}, {}};
  const auto mark = statement_.Mark();
  const bool placed = std::all_of(tasks_.begin(), tasks_.end(), [&](TaskId task) {
    return PlaceSomewhere(task, domain, answer.missing);
  });
  statement_.Rollback(mark);
  if (!placed || !Runs(answer.missing)) answer.missing = RoomOnOneNode(domain);
  answer.missing = Trimmed(answer.missing);
  if (answer.missing.empty()) return std::nullopt;
  return answer;
}

// Where pods take what was added in another order than it was added for: all of it on a node.
std::vector<RoomSearch::Missing> RoomSearch::RoomOnOneNode(const Domain& domain) {
  for (NodeId node : domain.nodes) {
    std::vector<Missing> all;
    for (TaskId task : tasks_) {
      const PodClass& cls = cluster_.ClassOf(task);
      for (int i = 0; i < static_cast<int>(cls.request.size()); ++i) {
        const int64_t amount = i == kGpu ? WholeGpus(cls.gpu) * kGpuUnit : cls.request[i];
        if (amount <= 0 || cluster_.amounts.allocatable(node)[i] == 0) continue;
        all.push_back({node, Units(amount, UnitOf(i)), i});
      }
    }
    if (Runs(all)) return all;
  }
  return {};
}

// What the node lacks for the pod, GPUs apart. Of what it has none of it cannot have more.
std::vector<RoomSearch::Missing> RoomSearch::LackingOn(TaskId task, NodeId node) const {
  std::vector<Missing> lacking;
  const Amounts& request = cluster_.ClassOf(task).request;
  const auto idle = cluster_.amounts.idle(node), releasing = cluster_.amounts.releasing(node);
  for (int i = 0; i < static_cast<int>(request.size()); ++i) {
    const int64_t lack = request[i] - idle[i] - releasing[i];
    if (i == kGpu || lack <= 0 || cluster_.amounts.allocatable(node)[i] == 0) continue;
    lacking.push_back({node, Units(lack, UnitOf(i)), i});
  }
  return lacking;
}

bool RoomSearch::PlaceSomewhere(TaskId task, const Domain& domain, std::vector<Missing>& added) {
  std::vector<NodeId> nodes = domain.nodes;
  std::vector<std::vector<Missing>> lacking(cluster_.nodes.size());
  for (NodeId node : nodes) lacking[node] = LackingOn(task, node);
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](NodeId a, NodeId b) { return CostOf(lacking[a]) < CostOf(lacking[b]); });
  const int64_t most = WholeGpus(cluster_.ClassOf(task).gpu);
  for (int64_t gpus = 0; gpus <= most; ++gpus) {
    for (NodeId node : nodes) {
      if (gpus > 0 && cluster_.amounts.allocatable(node)[kGpu] == 0) continue;
      std::vector<Missing> more = lacking[node];
      if (gpus > 0) more.push_back({node, gpus, kGpu});
      const auto mark = statement_.Mark();
      Add(more);
      if (allocator_.PlaceOne(statement_, task, node)) {
        added.insert(added.end(), more.begin(), more.end());
        return true;
      }
      statement_.Rollback(mark);
    }
  }
  return false;
}

std::vector<RoomSearch::Missing> RoomSearch::Trimmed(const std::vector<Missing>& added) {
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
  // Less here may make less there possible, so that it goes on until nothing does.
  for (bool less = true; less;) {
    less = false;
    for (size_t i = 0; i < parts.size(); ++i) less |= Shrink(parts, i);
  }
  std::erase_if(parts, [](const auto& part) { return part.units == 0; });
  return parts;
}

// Takes from one part what can be spared, by halves; whether it could.
bool RoomSearch::Shrink(std::vector<Missing>& missing, size_t part) {
  const int64_t before = missing[part].units;
  --missing[part].units;
  if (before == 0 || !Runs(missing)) {  // Mostly what was lacking is just what is needed.
    missing[part].units = before;
    return false;
  }
  int64_t enough = before - 1, too_little = -1;
  while (enough - too_little > 1) {
    missing[part].units = too_little + (enough - too_little) / 2;
    (Runs(missing) ? enough : too_little) = missing[part].units;
  }
  missing[part].units = enough;
  return enough < before;
}

void RoomSearch::Add(const std::vector<Missing>& missing) {
  for (const auto& [node, units, resource] : missing) {
    cluster_.AddIdle(node, resource, units * UnitOf(resource));
  }
}

bool RoomSearch::Runs(const std::vector<Missing>& added) {
  const auto mark = statement_.Mark();
  Add(added);
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
    --less[i].units;
    if (Runs(less)) return false;
  }
  return true;
}

// The rules that keep the gang from what would otherwise hold it; none where that is not so.
PlacementRules RoomSearch::InTheWay(const std::vector<Missing>& added) {
  PlacementRules dropped = PlacementRules::All();
  allocator_.Ignore(dropped);
  if (!Runs(added)) dropped = {};
  for (int i = 0; i < static_cast<int>(PlacementRule::kCount); ++i) {
    const PlacementRules fewer = dropped.Without(static_cast<PlacementRule>(i));
    allocator_.Ignore(fewer);
    if (Runs(added)) dropped = fewer;
  }
  allocator_.Ignore({});
  return dropped;
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
  if (alike_) {
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

// The most pods, then the most GPUs; of several the first.
void RoomSearch::FindNearest(const std::vector<Domain>& domains) {
  for (const Domain& domain : domains) {
    if (domain.id.empty()) return;  // The whole cluster.
    Nearest found{domain.id};
    for (NodeId node : domain.nodes) {
      found.gpus += TotalGpus(cluster_.resources, cluster_.amounts.allocatable(node));
      found.pods += alike_ ? now_[node] : 0;
    }
    const auto size = [](const Nearest& nearest) { return std::pair(nearest.pods, nearest.gpus); };
    if (!nearest_ || size(found) > size(*nearest_)) nearest_ = std::move(found);
  }
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
  if (never && !fits_nowhere_) FindNearest(domains);
  now_ = now;
  statement_.Rollback(mark);
  return never;
}

}  // namespace coppice::engine
