#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/forest.h"
#include "engine/state/cluster.h"
#include "engine/sub_groups.h"

// The sub-group tree of a pod group, and its pods in their places (docs/behaviour/engine.md S-29).

namespace coppice::engine {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Why the sub-groups do not form a tree; empty when they do.
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

// Levels may be named by their alias.
NameId Cluster::LevelLabel(const std::string& name, const std::string& level) {
  const auto topology = topologies.find(name);
  if (topology != topologies.end()) {
    for (const auto& entry : topology->second.levels) {
      if (!entry.alias.empty() && entry.alias == level) return names.Intern(entry.node_label);
    }
  }
  return names.Intern(level);
}

Constraint Cluster::ConstraintOf(const std::optional<TopologyConstraint>& given) {
  if (!given || given->topology.empty()) return {};
  return {names.Intern(given->topology), LevelLabel(given->topology, given->required_level),
          LevelLabel(given->topology, given->preferred_level)};
}

void Cluster::BuildTree(Job& job) {
  job.tree_changed = false;
  job.tasks_changed = true;
  job.sets.clear();
  job.pod_sets.clear();
  const PodGroupSpec& spec = *job.spec;
  SubGroupSet& root = job.sets.emplace_back();
  root.constraint = ConstraintOf(spec.topology);
  ForgetProblems("PodGroup", spec.name);
  const std::string problem = TreeProblem(spec.sub_groups);
  if (!problem.empty()) Problem("PodGroup", spec.name, problem);
  if (spec.min_members.value_or(0) < 0 || spec.min_sub_groups.value_or(0) < 0) {
    Problem("PodGroup", spec.name, "a negative minimum is read as zero");
  }
  if (spec.sub_groups.empty() || !problem.empty()) {
    PodSet& only = job.pod_sets.emplace_back();
    only.name = names.Intern("default");
    only.min = std::max(spec.min_members.value_or(1), 0);
    root.members.push_back({false, 0});
    return;
  }
  if (spec.min_sub_groups) root.min = std::max(*spec.min_sub_groups, 0);
  BuildSubGroups(job);
  SortMembers(job);
}

void Cluster::BuildSubGroups(Job& job) {
  const std::vector<SubGroupSpec>& groups = job.spec->sub_groups;
  std::set<std::string> parents;
  for (const auto& group : groups) parents.insert(Lower(group.parent));
  std::map<std::string, int32_t> set_index{{"", 0}};
  for (const auto& group : groups) {
    if (!parents.contains(group.name)) continue;
    set_index[group.name] = static_cast<int32_t>(job.sets.size());
    SubGroupSet& set = job.sets.emplace_back();
    set.name = names.Intern(group.name);
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
    pod_set.name = names.Intern(group.name);
    pod_set.min = std::max(group.min_members.value_or(0), 0);
    pod_set.parent = parent;
    pod_set.constraint = ConstraintOf(group.topology);
  }
}

void Cluster::SortMembers(Job& job) const {
  const auto name = [&](const SubGroupSet::Member& member) {
    return Text(member.is_set ? job.sets[member.index].name : job.pod_sets[member.index].name);
  };
  for (auto& set : job.sets) {
    std::sort(set.members.begin(), set.members.end(),
              [&](const auto& a, const auto& b) { return name(a) < name(b); });
  }
}

void Cluster::CollectTasks(JobId id) {
  Job& job = jobs[id];
  job.tasks_changed = false;
  job.report = true;
  ++job_versions[id];
  job.unknown.clear();
  for (auto& pod_set : job.pod_sets) {
    pod_set.tasks.clear();
    pod_set.counts = {};
  }
  const bool only_default =
      job.sets.size() == 1 && job.pod_sets.size() == 1 && Text(job.pod_sets[0].name) == "default";
  for (TaskId task_id : job.tasks) {
    Task& task = tasks[task_id];
    task.pod_set = kNone;
    if (!stranded_.empty()) stranded_.erase(task_id);
    if (task.node != kNone && !nodes[task.node].exists) stranded_.insert(task_id);
    if (only_default && task.sub_group == 0) task.pod_set = 0;
    for (size_t i = 0; i < job.pod_sets.size() && task.pod_set == kNone; ++i) {
      const bool named = job.pod_sets[i].name == task.sub_group ||
                         (task.sub_group == 0 && Text(job.pod_sets[i].name) == "default");
      if (named) task.pod_set = static_cast<int32_t>(i);
    }
    if (task.pod_set == kNone) {
      job.unknown.push_back(task_id);
      continue;
    }
    PodSet& pod_set = job.pod_sets[task.pod_set];
    pod_set.tasks.push_back(task_id);
    pod_set.counts.Add(task.status, +1);
  }
  for (auto& pod_set : job.pod_sets) {
    const auto less = [&](TaskId a, TaskId b) {
      return TaskInOrder(task_orders_, names, tasks[a], tasks[b]);
    };
    // Mostly they came in order.
    if (std::is_sorted(pod_set.tasks.begin(), pod_set.tasks.end(), less)) continue;
    std::sort(pod_set.tasks.begin(), pod_set.tasks.end(), less);
  }
}

void Cluster::TopologiesChanged() {
  for (auto& job : jobs) job.tree_changed = true;
  jobs_changed_ = true;
  ++topology_version;
}

void Cluster::AdoptGpuMemoryDefault() {
  if (configuration.assumed_gpu_memory <= 0) return;
  if (!min_gpu_memory) min_gpu_memory = configuration.assumed_gpu_memory;
  if (!max_gpu_memory) max_gpu_memory = configuration.assumed_gpu_memory;
}

void Cluster::ComputeSignature(Job& job) {
  std::vector<std::string> parts;
  for (const auto& pod_set : job.pod_sets) {
    std::vector<int32_t> pods;
    for (TaskId task : pod_set.tasks) {
      if (!IsActive(tasks[task].status)) pods.push_back(ClassOf(task).signature);
    }
    if (pods.empty()) {
      parts.emplace_back();
      continue;
    }
    std::sort(pods.begin(), pods.end());
    std::string part = fmt::format("{}:{}:{}", pod_set.constraint.topology,
                                   pod_set.constraint.required, pod_set.constraint.preferred);
    for (int set = pod_set.parent; set != kNone; set = job.sets[set].parent) {
      const Constraint& constraint = job.sets[set].constraint;
      part +=
          fmt::format("|{}:{}:{}", constraint.topology, constraint.required, constraint.preferred);
    }
    parts.push_back(part + fmt::format("#{}", fmt::join(pods, ",")));
  }
  std::sort(parts.begin(), parts.end());
  const std::string text = fmt::format("{}", fmt::join(parts, ";"));
  job.signature =
      signatures_.try_emplace(text, static_cast<int32_t>(signatures_.size())).first->second;
}

}  // namespace coppice::engine
