#include "engine/state/job_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/forest.h"
#include "engine/model/sub_groups.h"

// The sub-group tree of a pod group, with its pods (docs/behaviour/engine.md S-29).

namespace coppice::engine {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Why the sub-groups do not form a tree; empty if they do.
std::string TreeProblem(const std::vector<SubGroupSpec>& groups) {
  std::map<std::string_view, int32_t> index;
  for (const auto& group : groups) {
    if (group.name.empty()) return "a sub-group has no name";
    if (!index.emplace(group.name, static_cast<int32_t>(index.size())).second) {
      return "sub-group " + group.name + " is given twice";
    }
  }
  std::vector<int32_t> parents;
  for (const auto& group : groups) {
    const std::string parent = Lower(group.parent);
    const auto found = index.find(parent);
    if (!parent.empty() && found == index.end()) {
      return "parent sub-group " + parent + " does not exist";
    }
    parents.push_back(parent.empty() ? -1 : found->second);
  }
  const std::vector<base::Ancestry> ancestries = base::Ancestries(parents);
  for (size_t i = 0; i < groups.size(); ++i) {
    const int32_t depth = ancestries[i].depth;
    if (depth < 0) return "sub-group " + groups[i].name + " is its own ancestor";
    if (depth >= kMaxSubGroupDepth) {
      return fmt::format("sub-group {} is nested more than {} deep", groups[i].name,
                         kMaxSubGroupDepth);
    }
  }
  return "";
}

}  // namespace

Constraint JobTreeBuilder::ConstraintOf(const std::optional<TopologyConstraint>& given) const {
  if (!given || given->topology.empty()) return {};
  const auto label = [&](const std::string& level) {
    return topologies_.LevelLabel(given->topology, level, names_);
  };
  return {names_.Intern(given->topology), label(given->required_level),
          label(given->preferred_level)};
}

void JobTreeBuilder::Build(Job& job) const {
  job.tree_changed = false;
  job.tasks_changed = true;
  job.sets.clear();
  job.pod_sets.clear();
  const PodGroupSpec& spec = *job.spec;
  SubGroupSet& root = job.sets.emplace_back();
  root.constraint = ConstraintOf(spec.topology);
  problems_.Forget("PodGroup", spec.name);
  const std::string problem = TreeProblem(spec.sub_groups);
  if (!problem.empty()) problems_.Report("PodGroup", spec.name, problem);
  if (spec.min_members.value_or(0) < 0 || spec.min_sub_groups.value_or(0) < 0) {
    problems_.Report("PodGroup", spec.name, "a negative minimum is read as zero");
  }
  if (spec.sub_groups.empty() || !problem.empty()) {
    PodSet& only = job.pod_sets.emplace_back();
    only.name = names_.Intern("default");
    only.min = std::max(spec.min_members.value_or(1), 0);
    root.members.push_back({false, 0});
    return;
  }
  if (spec.min_sub_groups) root.min = std::max(*spec.min_sub_groups, 0);
  BuildSubGroups(job);
  SortMembers(job);
}

void JobTreeBuilder::BuildSubGroups(Job& job) const {
  const std::vector<SubGroupSpec>& groups = job.spec->sub_groups;
  std::set<std::string> parents;
  for (const auto& group : groups) parents.insert(Lower(group.parent));
  std::map<std::string, int32_t> set_index{{"", 0}};
  for (const auto& group : groups) {
    if (!parents.contains(group.name)) continue;
    set_index[group.name] = static_cast<int32_t>(job.sets.size());
    SubGroupSet& set = job.sets.emplace_back();
    set.name = names_.Intern(group.name);
    set.constraint = ConstraintOf(group.topology);
    if (group.min_sub_groups) set.min = std::max(*group.min_sub_groups, 0);
  }
  for (const auto& group : groups) {
    const int32_t parent = set_index.at(Lower(group.parent));
    if (auto set = set_index.find(group.name); set != set_index.end()) {
      job.sets[set->second].parent = parent;
      job.sets[parent].members.push_back({true, set->second});
      continue;
    }
    job.sets[parent].members.push_back({false, static_cast<int32_t>(job.pod_sets.size())});
    PodSet& pod_set = job.pod_sets.emplace_back();
    pod_set.name = names_.Intern(group.name);
    pod_set.min = std::max(group.min_members.value_or(0), 0);
    pod_set.parent = parent;
    pod_set.constraint = ConstraintOf(group.topology);
  }
}

void JobTreeBuilder::SortMembers(Job& job) const {
  const auto name = [&](const SubGroupSet::Member& member) {
    return names_.Text(member.is_set ? job.sets[member.index].name
                                     : job.pod_sets[member.index].name);
  };
  for (auto& set : job.sets) {
    std::sort(set.members.begin(), set.members.end(),
              [&](const auto& a, const auto& b) { return name(a) < name(b); });
  }
}

}  // namespace coppice::engine
