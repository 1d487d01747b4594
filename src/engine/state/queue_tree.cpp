#include "engine/state/queue_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/forest.h"

namespace coppice::engine {
namespace {

// A queue is usable if the path up from it ends at a top-level queue. An extra entry at the end is
// the parent of queues whose parent is missing.
std::vector<int32_t> ParentsOf(const std::vector<Queue>& queues) {
  const auto missing = static_cast<int32_t>(queues.size());
  std::vector<int32_t> parents(queues.size() + 1, -1);
  for (size_t id = 0; id < queues.size(); ++id) {
    if (!queues[id].exists || queues[id].spec->parent.empty()) continue;
    parents[id] = queues[id].parent == kNone ? missing : queues[id].parent;
  }
  return parents;
}

void CheckQuotas(const QueueSpec& queue, InputProblems& problems) {
  const std::pair<const char*, const QueueQuota*> kinds[] = {
      {"cpu", &queue.cpu}, {"memory", &queue.memory}, {"gpu", &queue.gpu}};
  const auto wrong = [](double amount) { return amount < 0 && amount != kUnlimited; };
  for (const auto& [resource, quota] : kinds) {
    if (wrong(quota->quota) || wrong(quota->limit) || quota->over_quota_weight < 0) {
      problems.Report(
          "Queue", queue.name,
          fmt::format("a negative amount of {}; only -1 has a meaning, unlimited", resource));
    }
  }
}

}  // namespace

QueueId QueueTree::Find(std::string_view name) const {
  auto found = ids_.find(names_.Find(name));
  return found == ids_.end() || !queues_[found->second].exists ? kNone : found->second;
}

void QueueTree::Put(const QueueSpec& spec) {
  const NameId name = names_.Intern(spec.name);
  auto [found, added] = ids_.try_emplace(name, static_cast<QueueId>(queues_.size()));
  if (added) queues_.emplace_back().name = name;
  Queue& queue = queues_[found->second];
  queue.exists = true;
  queue.priority = spec.priority;
  queue.creation = spec.creation;
  queue.spec = std::make_unique<const QueueSpec>(spec);
  changed_ = true;
}

void QueueTree::Remove(QueueId id) {
  queues_[id].exists = false;
  changed_ = true;
}

std::vector<QueueId> QueueTree::SortedByName() const {
  std::vector<QueueId> by_name;
  for (QueueId id = 0; id < static_cast<QueueId>(queues_.size()); ++id) {
    if (queues_[id].exists) by_name.push_back(id);
  }
  std::sort(by_name.begin(), by_name.end(), [&](QueueId a, QueueId b) {
    return names_.Text(queues_[a].name) < names_.Text(queues_[b].name);
  });
  return by_name;
}

void QueueTree::Refresh(bool flat, InputProblems& problems) {
  if (!changed_) return;
  changed_ = false;
  problems.Forget("Queue");
  for (Queue& queue : queues_) {
    queue.parent = kNone;
    queue.children.clear();
    queue.reachable = false;
  }
  const std::vector<QueueId> by_name = SortedByName();
  for (size_t i = 0; i < by_name.size(); ++i) {
    Queue& queue = queues_[by_name[i]];
    CheckQuotas(*queue.spec, problems);
    queue.name_rank = static_cast<int32_t>(i);
    if (!queue.spec->parent.empty()) queue.parent = Find(queue.spec->parent);
  }
  FindReachable(by_name, problems);
  Link(by_name, flat);
}

void QueueTree::FindReachable(const std::vector<QueueId>& by_name, InputProblems& problems) {
  const std::vector<base::Ancestry> ancestries = base::Ancestries(ParentsOf(queues_));
  for (const QueueId id : by_name) {
    const base::Ancestry& ancestry = ancestries[static_cast<size_t>(id)];
    queues_[id].reachable =
        ancestry.depth >= 0 && ancestry.top != static_cast<int32_t>(queues_.size());
    if (queues_[id].reachable) continue;
    problems.Report(
        "Queue", names_.Text(queues_[id].name),
        ancestry.depth < 0 ? "is its own ancestor" : "a parent of the queue does not exist");
  }
}

void QueueTree::Link(const std::vector<QueueId>& by_name, bool flat) {
  roots_.clear();
  for (QueueId id : by_name) {
    if (!queues_[id].reachable) continue;
    const QueueId parent = queues_[id].parent;
    if (parent == kNone || flat) {
      roots_.push_back(id);
    } else {
      queues_[parent].children.push_back(id);
    }
  }
  if (!flat) return;
  // Projects only: queues with a parent become top-level, and the parents are dropped.
  std::erase_if(roots_, [&](QueueId id) { return queues_[id].spec->parent.empty(); });
  for (QueueId id : by_name) {
    if (queues_[id].spec->parent.empty()) queues_[id].reachable = false;
    queues_[id].parent = kNone;
  }
}

}  // namespace coppice::engine
