#include "engine/topology/topology_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

constexpr double kTopologyScore = 1e5;
constexpr double kNothingFree = 1000;
constexpr size_t kQuestionsKept = 8;

}  // namespace

const NodeSet& NodeChoices::Nodes(size_t choice, NodeSet& room) const {
  const NodeSet& all = (*tree_)[domains_[choice]].nodes;
  if (!valid_) return all;
  room.clear();
  std::set_intersection(
      all.begin(), all.end(), valid_->begin(), valid_->end(), std::back_inserter(room),
      [&](NodeId a, NodeId b) { return cluster_->nodes()[a].rank < cluster_->nodes()[b].rank; });
  return room;
}

const TopologyTree* TopologyPlanner::TreeOf(NameId name) { return cluster_.TreeOf(name); }

NameId TopologyPlanner::NameOf(const Gang& gang, const SubGroupSet::Member& member) const {
  return member.is_set ? gang.job().sets[member.index].name
                       : gang.job().pod_sets[member.index].name;
}

NodeChoices TopologyPlanner::Choose(const Gang& gang, const SubGroupSet::Member& sub_group,
                                    std::span<const TaskId> tasks, const NodeSet& nodes,
                                    JobErrors* errors) {
  Query query{&gang, sub_group,
              sub_group.is_set ? gang.job().sets[sub_group.index].constraint
                               : gang.job().pod_sets[sub_group.index].constraint,
              tasks, errors};
  if (!Resolve(query)) return {};
  std::optional<NodeSet> valid;
  if (&nodes != &cluster_.node_order()) {
    valid.emplace();
    std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(*valid),
                 [&](NodeId node) { return query.tree->LeafOf(node) != kNone; });
  }
  query.common = CommonDomain(query, valid ? &*valid : nullptr);
  CountTasks(query);
  FindRunning(query);
  query.rooms = &RoomsFor(query);
  if (!Fits(query, query.common)) {
    const std::string where = query.common == 0 ? "the cluster" : (*query.tree)[query.common].id;
    if (errors) errors->Add(Unsatisfied(query, where));
    return {};
  }
  children_.resize(query.tree->domains().size());
  ratios_.resize(query.tree->domains().size());
  SortBelow(query, query.common);
  if (query.preferred != kNone) Prefer(query);
  return {cluster_, *query.tree, Candidates(query), std::move(valid)};
}

// Finds the topology and its levels; false if there is nothing to choose from.
bool TopologyPlanner::Resolve(Query& query) {
  const Constraint& constraint = query.constraint;
  const auto refuse = [&](const std::string& text) {
    if (query.errors) query.errors->Add(FitError{"PodSchedulingErrors", text, text, {}});
    return false;
  };
  const std::string_view name = cluster_.Text(constraint.topology);
  query.tree = TreeOf(constraint.topology);
  if (!query.tree) return refuse(fmt::format("Requested topology {} does not exist", name));
  query.required = constraint.required ? query.tree->LevelOf(constraint.required) : kNone;
  query.preferred = constraint.preferred ? query.tree->LevelOf(constraint.preferred) : kNone;
  for (const auto& [level, found] :
       {std::pair{constraint.required, query.required}, {constraint.preferred, query.preferred}}) {
    if (!level || found != kNone) continue;
    return refuse(fmt::format("topology {} has no level {}", name, cluster_.Text(level)));
  }
  // Levels are searched from the narrowest up to the required one, as in upstream: a preferred
  // level above it is not found.
  if (constraint.preferred && query.required != kNone && query.preferred < query.required) {
    return refuse(fmt::format("the preferred level {} of topology {} is above the required one",
                              cluster_.Text(constraint.preferred), name));
  }
  return query.required != kNone || query.preferred != kNone;
}

void TopologyPlanner::CountTasks(Query& query) const {
  int with_gpu = 0;
  std::vector<int> users;
  for (TaskId task : query.tasks) {
    const PodClass& cls = cluster_.ClassOf(task);
    AddTo(query.total, cls.request);
    MaxTo(query.question.largest, cls.request);
    with_gpu += cls.gpu.Milli() > 0;  // As in upstream, without requests by GPU memory.
    if (users.size() < cls.request.size()) users.resize(cls.request.size());
    for (size_t i = kPods + 1; i < cls.request.size(); ++i) users[i] += cls.request[i] > 0;
  }
  const int count = static_cast<int>(query.tasks.size());
  query.question.counts = with_gpu == 0 || with_gpu == count;
  for (size_t i = kPods + 1; i < users.size(); ++i) {
    query.question.counts &= users[i] == 0 || users[i] == count;
  }
  // The number of pods matters only if they request nothing; see DomainRooms.
  const Amounts& largest = query.question.largest;
  const bool asks = std::any_of(largest.begin(), largest.begin() + kPods,
                                [](int64_t amount) { return amount != 0; });
  query.question.pods = asks ? 0 : count;
}

void TopologyPlanner::FindRunning(Query& query) const {
  if (query.required == kNone) return;
  const Gang& gang = *query.gang;
  for (int i = 0; i < static_cast<int>(gang.job().pod_sets.size()); ++i) {
    if (!gang.Contains(query.sub_group, i) || gang.Active(i) == 0) continue;
    for (TaskId id : gang.Tasks(i)) {
      const Task& task = cluster_.tasks()[id];
      if (!IsActive(task.status) || task.node == kNone) continue;
      query.has_active = true;
      const int leaf = query.tree->LeafOf(task.node);
      if (leaf == kNone) continue;
      const int domain = query.tree->AncestorAt(leaf, query.required);
      if (std::find(query.running.begin(), query.running.end(), domain) == query.running.end()) {
        query.running.push_back(domain);
      }
    }
  }
}

// Whether the domain is in a required-level domain that has active pods of the sub-group.
bool TopologyPlanner::InActiveDomain(const Query& query, int index) const {
  if (query.required == kNone || !query.has_active) return true;
  const int domain = query.tree->AncestorAt(index, query.required);
  return std::find(query.running.begin(), query.running.end(), domain) != query.running.end();
}

const DomainRooms& TopologyPlanner::RoomsFor(const Query& query) {
  auto found = std::find_if(rooms_.begin(), rooms_.end(), [&](const DomainRooms& rooms) {
    return &rooms.tree() == query.tree && rooms.question() == query.question;
  });
  if (found == rooms_.end()) {
    if (rooms_.size() == kQuestionsKept) rooms_.pop_back();
    rooms_.emplace_front(cluster_, *query.tree, query.question);
  } else {
    rooms_.splice(rooms_.begin(), rooms_, found);
  }
  rooms_.front().Refresh();
  return rooms_.front();
}

// `valid`: null if all nodes of the tree are valid.
int TopologyPlanner::CommonDomain(const Query& query, const NodeSet* valid) const {
  const TopologyTree& tree = *query.tree;
  if (valid && valid->empty()) return 0;
  const int last = query.preferred != kNone ? query.preferred : tree.levels() - 1;
  int common = 0;
  for (int level = 0; level <= last; ++level) {
    if (!valid && tree[common].children.size() != 1) return common;
    const int first =
        valid ? tree.AncestorAt(tree.LeafOf(valid->front()), level) : tree[common].children[0];
    const bool shared = !valid || std::all_of(valid->begin(), valid->end(), [&](NodeId node) {
      return tree.AncestorAt(tree.LeafOf(node), level) == first;
    });
    if (!shared) return common;
    common = first;
  }
  return common;
}

// Above the common domain of all nodes nothing is measured, as in upstream.
bool TopologyPlanner::Measured(const Query& query, int domain) const {
  return (*query.tree)[domain].level >= (*query.tree)[query.common].level;
}

int64_t TopologyPlanner::PodsIn(const Query& query, int domain) const {
  return Measured(query, domain) ? query.rooms->Pods(domain) : -1;
}

std::span<const int64_t> TopologyPlanner::FreeIn(const Query& query, int domain) const {
  return Measured(query, domain) ? query.rooms->Free(domain) : std::span<const int64_t>();
}

// The ratio of requested to free for the scarcest resource.
double TopologyPlanner::RatioOf(const Query& query, int domain) const {
  if (!Measured(query, domain)) return kNothingFree;
  const auto free = query.rooms->Free(domain);
  double ratio = 0;
  for (int i = 0; i < static_cast<int>(query.total.size()); ++i) {
    if (query.total[i] <= 0 || i == kPods) continue;
    const bool by_claims = i != kGpu && cluster_.devices().Serves(i);
    if (by_claims) continue;
    const double have = static_cast<double>(At(free, i));
    ratio = std::max(ratio, have <= 0 ? kNothingFree : static_cast<double>(query.total[i]) / have);
  }
  return ratio;
}

bool TopologyPlanner::Fits(const Query& query, int domain) const {
  const int64_t pods = PodsIn(query, domain);
  if (pods >= 0) return pods >= static_cast<int64_t>(query.tasks.size());
  return RatioOf(query, domain) <= 1;
}

void TopologyPlanner::SortBelow(const Query& query, int index) {
  const auto& domain = (*query.tree)[index];
  if (domain.level >= query.SortLevel()) return;
  auto& children = children_[index];
  children = domain.children;  // Sorted by id.
  for (int child : children) ratios_[child] = RatioOf(query, child);
  std::stable_sort(children.begin(), children.end(),
                   [&](int a, int b) { return ratios_[a] > ratios_[b]; });
  for (int child : children) SortBelow(query, child);
}

void TopologyPlanner::DomainsAt(const Query& query, int index, int level,
                                std::vector<int>& found) const {
  const auto& domain = (*query.tree)[index];
  if (domain.level >= level) {
    found.push_back(index);
    return;
  }
  const bool sorted = domain.level < query.SortLevel();
  for (int child : sorted ? children_[index] : domain.children) {
    DomainsAt(query, child, level, found);
  }
}

void TopologyPlanner::Prefer(const Query& query) {
  std::vector<int> domains;
  DomainsAt(query, query.common, query.preferred, domains);
  Preference preference{query.tree, query.preferred, {}};
  const int count = static_cast<int>(domains.size());
  for (int i = 0; i < count; ++i) {
    preference.scores[domains[i]] = static_cast<double>(10 * (i + 1) / count) * kTopologyScore;
  }
  preferences_[NameOf(*query.gang, query.sub_group)] = std::move(preference);
}

std::vector<int> TopologyPlanner::Candidates(const Query& query) {
  const int deepest = std::max(query.required, query.preferred);
  const int top = query.required != kNone ? query.required : -1;
  std::vector<int> candidates, level_domains;
  std::vector<char> known(query.tree->domains().size());
  for (int level = deepest; level >= top; --level) {
    level_domains.clear();
    if ((*query.tree)[query.common].level > level) {
      level_domains.push_back(query.tree->AncestorAt(query.common, level));
    } else {
      DomainsAt(query, query.common, level, level_domains);
    }
    for (int domain : level_domains) {
      if (known[domain] || !Fits(query, domain) || !InActiveDomain(query, domain)) continue;
      known[domain] = 1;
      candidates.push_back(domain);
    }
  }
  if (candidates.empty() && query.errors) {
    for (int domain : level_domains) {
      if (InActiveDomain(query, domain)) query.errors->Add(DomainError(query, domain));
    }
    query.errors->Add(Unsatisfied(query, ""));
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
  const int64_t pods = PodsIn(query, index);
  const auto free = FreeIn(query, index);
  const std::string& id = (*query.tree)[index].id;
  std::string message, detail;
  if (pods >= 0) {
    message = detail = fmt::format("node-group {} can allocate only {} of {} required pods", id,
                                   pods, query.tasks.size());
  } else {
    std::vector<std::string> names, parts;
    const auto part = [&](int i, const char* name, const char* word, double unit) {
      if (At(query.total, i) <= At(free, i)) return;
      names.push_back(name);
      parts.push_back(fmt::format("{} didn't have enough {}: {}, requested: {}, available: {}", id,
                                  word, name,
                                  HumanAmount(static_cast<double>(query.total[i]), unit),
                                  HumanAmount(static_cast<double>(At(free, i)), unit)));
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

const TopologyPlanner::Preference* TopologyPlanner::PreferenceOf(TaskId id) const {
  const Task& task = cluster_.tasks()[id];
  const Job& job = cluster_.jobs()[task.job];
  auto found = preferences_.find(job.pod_sets[task.pod_set].name);
  for (int set = job.pod_sets[task.pod_set].parent; found == preferences_.end() && set != kNone;
       set = job.sets[set].parent) {
    found = preferences_.find(job.sets[set].name);
  }
  return found == preferences_.end() ? nullptr : &found->second;
}

double TopologyPlanner::Score(TaskId task, NodeId node) const {
  const bool strict = session_.config.compatibility.Keeps(Quirk::kUnscoredNodes);
  return PreferenceFor(task, node).value_or(strict ? kOutOfQuestion : 0);
}

std::optional<double> TopologyPlanner::PreferenceFor(TaskId task, NodeId node) const {
  const Preference* preference = PreferenceOf(task);
  if (!preference) return 0.0;
  const int leaf = preference->tree->LeafOf(node);
  if (leaf == kNone) return std::nullopt;
  const auto score = preference->scores.find(preference->tree->AncestorAt(leaf, preference->level));
  return score == preference->scores.end() ? std::nullopt : std::optional(score->second);
}

bool TopologyPlanner::LikesAlike(TaskId task, const TopologyTree& tree, int domain) const {
  const Preference* preference = PreferenceOf(task);
  if (!preference) return true;
  return preference->tree == &tree && tree[domain].level >= preference->level &&
         preference->scores.contains(tree.AncestorAt(domain, preference->level));
}

}  // namespace coppice::engine
