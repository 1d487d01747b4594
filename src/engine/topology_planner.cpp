#include "engine/topology_planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/status.h"

namespace coppice::engine {
namespace {

constexpr double kTopologyScore = 1e5;
constexpr double kNothingFree = 1000;

}  // namespace

const TopologyTree* TopologyPlanner::TreeOf(NameId name) {
  auto [found, added] = trees_.try_emplace(name);
  if (added) {
    auto spec = cluster_.topologies.find(std::string(cluster_.Text(name)));
    if (spec != cluster_.topologies.end()) {
      found->second = std::make_unique<TopologyTree>(cluster_, spec->second);
    }
  }
  return found->second.get();
}

NameId TopologyPlanner::NameOf(const Gang& gang, const SubGroupSet::Member& member) const {
  return member.is_set ? gang.job().sets[member.index].name
                       : gang.job().pod_sets[member.index].name;
}

std::vector<NodeSet> TopologyPlanner::Subsets(const Gang& gang,
                                              const SubGroupSet::Member& sub_group,
                                              std::span<const TaskId> tasks, const NodeSet& nodes,
                                              JobErrors* errors) {
  Query query{&gang, sub_group,
              sub_group.is_set ? gang.job().sets[sub_group.index].constraint
                               : gang.job().pod_sets[sub_group.index].constraint,
              tasks, nullptr};
  if (!query.constraint.any() || tasks.empty()) return {nodes};
  query.tree = TreeOf(query.constraint.topology);
  const auto report = [&](FitError error) {
    if (errors) errors->Add(std::move(error));
  };
  if (!query.tree) {
    const std::string text = fmt::format("Requested topology {} does not exist",
                                         cluster_.Text(query.constraint.topology));
    report({"PodSchedulingErrors", text, text, {}});
    return {};
  }
  query.required =
      query.constraint.required ? query.tree->LevelOf(query.constraint.required) : kNone;
  query.preferred =
      query.constraint.preferred ? query.tree->LevelOf(query.constraint.preferred) : kNone;
  const bool missing = (query.constraint.required && query.required == kNone) ||
                       (query.constraint.preferred && query.preferred == kNone);
  if (missing || (query.required == kNone && query.preferred == kNone)) return {};

  NodeSet valid;
  for (NodeId node : nodes) {
    if (query.tree->LeafOf(node) != kNone) valid.push_back(node);
  }
  query.homogeneous = true;
  int with_gpu = 0;
  std::vector<int> users;
  for (TaskId task : tasks) {
    const PodClass& cls = cluster_.ClassOf(task);
    AddTo(query.total, cls.request);
    MaxTo(query.largest, cls.request);
    with_gpu += cls.gpu.shared() || cls.gpu.Milli() > 0;
    if (users.size() < cls.request.size()) users.resize(cls.request.size());
    for (size_t i = kPods + 1; i < cls.request.size(); ++i) users[i] += cls.request[i] > 0;
  }
  const int count = static_cast<int>(tasks.size());
  query.gpus = with_gpu > 0;
  query.homogeneous = with_gpu == 0 || with_gpu == count;
  for (size_t i = kPods + 1; i < users.size(); ++i) {
    query.homogeneous &= users[i] == 0 || users[i] == count;
  }

  const int common = CommonDomain(query, valid);
  rooms_.assign(query.tree->domains().size(), {});
  children_.clear();
  for (const auto& domain : query.tree->domains()) children_.push_back(domain.children);
  Measure(query, common);
  if (!Fits(query, common)) {
    report(Unsatisfied(query, common == 0 ? "the cluster" : (*query.tree)[common].id));
    return {};
  }
  SortBelow(query, common, query.preferred != kNone ? query.preferred : query.required);
  if (query.preferred != kNone) Prefer(query, common);

  std::vector<NodeSet> sets;
  for (int domain : Candidates(query, common, errors)) {
    NodeSet set;
    std::set_intersection(
        (*query.tree)[domain].nodes.begin(), (*query.tree)[domain].nodes.end(), valid.begin(),
        valid.end(), std::back_inserter(set),
        [&](NodeId a, NodeId b) { return cluster_.nodes[a].rank < cluster_.nodes[b].rank; });
    sets.push_back(std::move(set));
  }
  return sets;
}

int TopologyPlanner::CommonDomain(const Query& query, const NodeSet& valid) const {
  if (valid.empty()) return 0;
  const TopologyTree& tree = *query.tree;
  const int last = query.preferred != kNone ? query.preferred : tree.levels() - 1;
  int common = 0;
  for (int level = 0; level <= last; ++level) {
    const int first = tree.AncestorAt(tree.LeafOf(valid[0]), level);
    for (NodeId node : valid) {
      if (tree.AncestorAt(tree.LeafOf(node), level) != first) return common;
    }
    common = first;
  }
  return common;
}

int64_t TopologyPlanner::PodsOn(const Query& query, NodeId node) const {
  const Amounts& wanted = query.largest;
  auto idle = cluster_.amounts.idle(node), releasing = cluster_.amounts.releasing(node);
  const int size = static_cast<int>(wanted.size());
  bool only_slots = wanted[kPods] <= 1;
  for (int i = 0; i < size; ++i) only_slots &= i == kPods || wanted[i] == 0;
  if (only_slots) return static_cast<int64_t>(query.tasks.size());
  int64_t pods = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < size; ++i) {
    if (wanted[i] <= 0) continue;
    const bool by_claims =
        i != kGpu && i < static_cast<int>(cluster_.dra_backed.size()) && cluster_.dra_backed[i];
    if (by_claims) continue;
    int64_t available = idle[i] + releasing[i];
    if (i == kGpu && wanted[i] < kGpuUnit) {
      available = cluster_.IdleGpuSum(node) + cluster_.ReleasingGpuSum(node);
    }
    if (wanted[i] > available) return 0;
    pods = std::min(pods, available / wanted[i]);
  }
  return pods;
}

double TopologyPlanner::RatioOf(const Query& query, const Amounts& free) const {
  double ratio = 0;
  for (int i = 0; i < static_cast<int>(query.total.size()); ++i) {
    if (query.total[i] <= 0 || i == kPods) continue;
    const bool by_claims =
        i != kGpu && i < static_cast<int>(cluster_.dra_backed.size()) && cluster_.dra_backed[i];
    if (by_claims) continue;
    const double have = static_cast<double>(At(free, i));
    ratio = std::max(ratio, have <= 0 ? kNothingFree : static_cast<double>(query.total[i]) / have);
  }
  return ratio;
}

void TopologyPlanner::Measure(const Query& query, int index) {
  const auto& domain = (*query.tree)[index];
  Room& room = rooms_[index];
  room.free.assign(cluster_.amounts.stride(), 0);
  if (query.homogeneous) room.pods = 0;
  for (int child : domain.children) {
    Measure(query, child);
    AddTo(rooms_[index].free, rooms_[child].free);
    if (query.homogeneous) rooms_[index].pods += rooms_[child].pods;
  }
  if (domain.level == query.tree->levels() - 1) {
    for (NodeId node : domain.nodes) {
      AddTo(room.free, cluster_.amounts.idle(node));
      AddTo(room.free, cluster_.amounts.releasing(node));
      if (query.homogeneous) room.pods += PodsOn(query, node);
    }
  }
  room.ratio = RatioOf(query, room.free);
}

bool TopologyPlanner::Fits(const Query& query, int domain) const {
  const Room& room = rooms_[domain];
  if (room.pods >= 0) return room.pods >= static_cast<int64_t>(query.tasks.size());
  return room.ratio <= 1;
}

void TopologyPlanner::SortBelow(const Query& query, int index, int level) {
  if ((*query.tree)[index].level >= level) return;
  auto& children = children_[index];
  std::sort(children.begin(), children.end(), [&](int a, int b) {
    if (rooms_[a].ratio != rooms_[b].ratio) return rooms_[a].ratio > rooms_[b].ratio;
    return (*query.tree)[a].id < (*query.tree)[b].id;
  });
  for (int child : children) SortBelow(query, child, level);
}

void TopologyPlanner::DomainsAt(const TopologyTree& tree, int index, int level,
                                std::vector<int>& found) const {
  if (tree[index].level >= level) {
    found.push_back(index);
    return;
  }
  for (int child : children_[index]) DomainsAt(tree, child, level, found);
}

void TopologyPlanner::Prefer(const Query& query, int common) {
  std::vector<int> domains;
  DomainsAt(*query.tree, common, query.preferred, domains);
  auto& scores = scores_[NameOf(*query.gang, query.sub_group)];
  scores.clear();
  const int count = static_cast<int>(domains.size());
  for (int i = 0; i < count; ++i) {
    const double score = static_cast<double>(10 * (i + 1) / count) * kTopologyScore;
    for (NodeId node : (*query.tree)[domains[i]].nodes) scores[node] = score;
  }
}

// Whether the domain lies under a required-level domain that has active pods of the sub-group.
bool TopologyPlanner::InActiveDomain(const Query& query, int index) const {
  bool any = false;
  for (int i = 0; i < static_cast<int>(query.gang->job().pod_sets.size()); ++i) {
    if (!query.gang->Contains(query.sub_group, i)) continue;
    for (TaskId id : query.gang->Tasks(i)) {
      const Task& task = cluster_.tasks[id];
      if (!IsActive(task.status) || task.node == kNone) continue;
      const int leaf = query.tree->LeafOf(task.node);
      any = true;
      if (leaf == kNone) continue;
      if (query.tree->AncestorAt(leaf, query.required) ==
          query.tree->AncestorAt(index, query.required)) {
        return true;
      }
    }
  }
  return !any;
}

std::vector<int> TopologyPlanner::Candidates(const Query& query, int common, JobErrors* errors) {
  const int deepest = std::max(query.required, query.preferred);
  const int top = query.required != kNone ? query.required : -1;
  std::vector<int> candidates, level_domains;
  for (int level = deepest; level >= top; --level) {
    level_domains.clear();
    // Above the domain that all nodes share nothing has been measured, so that a wider level is
    // never satisfied by it, as upstream.
    if ((*query.tree)[common].level > level) {
      const int above = query.tree->AncestorAt(common, level);
      rooms_[above].ratio = kNothingFree;
      level_domains.push_back(above);
    } else {
      DomainsAt(*query.tree, common, level, level_domains);
    }
    for (int domain : level_domains) {
      const bool known =
          std::find(candidates.begin(), candidates.end(), domain) != candidates.end();
      if (known || !Fits(query, domain)) continue;
      if (query.required != kNone && !InActiveDomain(query, domain)) continue;
      candidates.push_back(domain);
    }
  }
  if (candidates.empty() && errors) {
    for (int domain : level_domains) {
      if (query.required == kNone || InActiveDomain(query, domain)) {
        errors->Add(DomainError(query, domain));
      }
    }
    errors->Add(Unsatisfied(query, ""));
  }
  return candidates;
}

FitError TopologyPlanner::Unsatisfied(const Query& query, const std::string& where) const {
  const Job& job = query.gang->job();
  std::string text = fmt::format(
      "topology {}, requirement {} couldn't be satisfied for job <{}/{}>",
      cluster_.Text(query.constraint.topology), cluster_.Text(query.constraint.required),
      cluster_.Text(job.namespace_name), cluster_.Text(job.name));
  const NameId name = NameOf(*query.gang, query.sub_group);
  if (name != 0) text += fmt::format(", subgroup {}", cluster_.Text(name));
  if (!where.empty())
    text += fmt::format(": not enough resources in {} to allocate the job", where);
  return {"PodSchedulingErrors", text, text, {}};
}

FitError TopologyPlanner::DomainError(const Query& query, int index) const {
  const Room& room = rooms_[index];
  const std::string& id = (*query.tree)[index].id;
  std::string message, detail;
  if (room.pods >= 0) {
    message = detail = fmt::format("node-group {} can allocate only {} of {} required pods", id,
                                   room.pods, query.tasks.size());
  } else {
    std::vector<std::string> names, parts;
    const auto part = [&](int i, const char* name, const char* word, double unit) {
      if (At(query.total, i) <= At(room.free, i)) return;
      names.push_back(name);
      parts.push_back(fmt::format("{} didn't have enough {}: {}, requested: {}, available: {}", id,
                                  word, name,
                                  HumanAmount(static_cast<double>(query.total[i]), unit),
                                  HumanAmount(static_cast<double>(At(room.free, i)), unit)));
    };
    part(kCpu, "CPU cores", "resources", 1000);
    part(kMemory, "memory", "resources", 1e9);
    part(kGpu, "GPUs", "resource", kGpuUnit);
    part(kPods, "pods", "resource", 1);
    message = fmt::format("node-group(s) didn't have enough resources: {}", fmt::join(names, ", "));
    detail = fmt::format("{}", fmt::join(parts, ", "));
  }
  return {
      "Not enough resources for the workload", message, fmt::format("<{}>: {}", id, detail), {}};
}

std::optional<double> TopologyPlanner::Score(TaskId id, NodeId node) const {
  const Task& task = cluster_.tasks[id];
  const Job& job = cluster_.jobs[task.job];
  const auto lookup = [&](NameId name, bool& found) -> std::optional<double> {
    auto scores = scores_.find(name);
    found = scores != scores_.end();
    if (!found) return 0.0;
    auto score = scores->second.find(node);
    return score == scores->second.end() ? std::nullopt : std::optional(score->second);
  };
  bool found = false;
  auto score = lookup(job.pod_sets[task.pod_set].name, found);
  for (int set = job.pod_sets[task.pod_set].parent; !found && set != kNone;
       set = job.sets[set].parent) {
    score = lookup(job.sets[set].name, found);
  }
  return score;
}

}  // namespace coppice::engine
