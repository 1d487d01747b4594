#include "services/queues/group_sums.h"

#include "api/view/kai.h"
#include "base/log.h"
#include "kube/object.h"

namespace coppice::services::queues {
namespace {

view::kai::ResourcesStatus StatusOf(const json::Value& group) {
  return view::kai::PodGroup(group).status().resourcesStatus();
}

std::string QueueOf(const json::Value& group) {
  return std::string(view::kai::PodGroup(group).spec().queue());
}

template <typename Status>
base::Result<Usage> ReadUsage(Status status) {
  Usage usage;
  COPPICE_ASSIGN(usage.allocated, ResourceMap::Read(status.allocated()));
  COPPICE_ASSIGN(usage.allocated_non_preemptible,
                 ResourceMap::Read(status.allocatedNonPreemptible()));
  COPPICE_ASSIGN(usage.requested, ResourceMap::Read(status.requested()));
  return usage;
}

}  // namespace

base::Result<Usage> Usage::Read(view::kai::QueueStatus status) { return ReadUsage(status); }

base::Result<Usage> Usage::Read(view::kai::ResourcesStatus status) { return ReadUsage(status); }

void Usage::Add(const Usage& other) {
  allocated.Add(other.allocated);
  allocated_non_preemptible.Add(other.allocated_non_preemptible);
  requested.Add(other.requested);
}

void GroupSums::OnChange(const kube::Change& change) {
  std::lock_guard lock(mutex_);
  if (change.type == kube::ChangeType::kAdded) return Add(change.object);
  if (change.type == kube::ChangeType::kDeleted) return Remove(change.object);
  if (QueueOf(change.object) == QueueOf(change.old_object) &&
      StatusOf(change.object) == StatusOf(change.old_object)) {
    return;
  }
  Remove(change.old_object);
  Add(change.object);
}

Usage GroupSums::Of(const std::string& name) const {
  std::lock_guard lock(mutex_);
  const auto found = queues_.find(name);
  if (found == queues_.end()) return Usage{};
  const Queue& queue = found->second;
  return Usage{queue.allocated.Sum(), queue.allocated_non_preemptible.Sum(), queue.requested.Sum()};
}

void GroupSums::Add(const json::Value& group) {
  Queue& queue = queues_[QueueOf(group)];
  ++queue.groups;
  const base::Result<Usage> usage = Usage::Read(StatusOf(group));
  if (!usage) {
    base::LogWarn("ignoring a PodGroup in its queue: cannot parse its status",
                  {{"group", kube::KeyOf(group).ToString()}, {"error", usage.error().message()}});
    return;
  }
  queue.allocated.Add(usage->allocated);
  queue.allocated_non_preemptible.Add(usage->allocated_non_preemptible);
  queue.requested.Add(usage->requested);
}

void GroupSums::Remove(const json::Value& group) {
  const auto found = queues_.find(QueueOf(group));
  if (found == queues_.end()) return;
  Queue& queue = found->second;
  const base::Result<Usage> usage = Usage::Read(StatusOf(group));
  if (usage) {
    queue.allocated.Remove(usage->allocated);
    queue.allocated_non_preemptible.Remove(usage->allocated_non_preemptible);
    queue.requested.Remove(usage->requested);
  }
  if (--queue.groups == 0) queues_.erase(found);
}

// The first amount decides in which family of units the sum is written.
void GroupSums::Amounts::Add(const ResourceMap& more) {
  for (const auto& [name, amount] : more.amounts()) {
    Amount& entry = amounts_[name];
    ++entry.groups;
    entry.sum = entry.sum.IsZero() ? amount : entry.sum + amount;
  }
}

void GroupSums::Amounts::Remove(const ResourceMap& less) {
  for (const auto& [name, amount] : less.amounts()) {
    const auto entry = amounts_.find(name);
    if (entry == amounts_.end()) continue;
    entry->second.sum -= amount;
    if (--entry->second.groups == 0) amounts_.erase(entry);
  }
}

ResourceMap GroupSums::Amounts::Sum() const {
  ResourceMap sum;
  for (const auto& [name, amount] : amounts_) sum.Add(name, amount.sum);
  return sum;
}

}  // namespace coppice::services::queues
