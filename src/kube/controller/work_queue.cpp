#include "kube/controller/work_queue.h"

#include <algorithm>
#include <limits>

namespace coppice::kube {
namespace {

const std::string kDepth = "workqueue_depth";
const std::string kAdds = "workqueue_adds_total";
const std::string kRetries = "workqueue_retries_total";
const std::string kQueueDuration = "workqueue_queue_duration_seconds";
const std::string kWorkDuration = "workqueue_work_duration_seconds";

const std::vector<double> kDurationBuckets = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
                                              1e-2, .1,   1,    10,   100,  1000};

double Seconds(base::Duration duration) { return std::chrono::duration<double>(duration).count(); }

void DescribeQueueTo(Metrics& metrics) {
  metrics.Describe(kDepth, "Current depth of the work queue.");
  metrics.Describe(kAdds, "Keys added to the work queue.");
  metrics.Describe(kRetries, "Keys added to the work queue after a failure.");
  metrics.Describe(kQueueDuration, "Seconds a key waits in the queue.", kDurationBuckets);
  metrics.Describe(kWorkDuration, "Seconds that working on a key takes.", kDurationBuckets);
}

}  // namespace

WorkQueue::WorkQueue(Executor& executor, Options options, std::function<void()> on_ready)
    : options_(std::move(options)),
      labels_{{"name", options_.name}, {"controller", options_.name}},
      on_ready_(std::move(on_ready)),
      scope_(executor) {
  if (options_.metrics != nullptr) DescribeQueueTo(*options_.metrics);
}

void WorkQueue::Add(const Key& key, Priority priority) {
  bool ready = false;
  {
    std::lock_guard lock(mutex_);
    ready = AddLocked(key, priority);
  }
  if (ready) on_ready_();
}

// True when the key has become available.
bool WorkQueue::AddLocked(const Key& key, Priority priority) {
  if (closed_) return false;
  if (working_.contains(key)) {
    auto [again, added] = again_.try_emplace(key, priority);
    if (!added) again->second = std::max(again->second, priority);
    return false;
  }
  const auto present = waiting_.find(key);
  if (present == waiting_.end()) {
    Report(kAdds, 1);
    EnqueueLocked(key, priority);
    return true;
  }
  Rank& rank = present->second.rank;
  if (priority > rank.priority) {
    CountLocked(rank.priority, -1);
    CountLocked(priority, 1);
    order_.erase(rank);
    rank.priority = priority;
    order_.emplace(rank, key);
  }
  return false;
}

void WorkQueue::EnqueueLocked(const Key& key, Priority priority) {
  const Rank rank{priority, ++sequence_};
  waiting_.emplace(key, Waiting{rank, scope_.Elapsed()});
  order_.emplace(rank, key);
  CountLocked(priority, 1);
  ReportDepthLocked();
}

void WorkQueue::CountLocked(Priority priority, int keys) {
  if (priority == Priority::kNormal || options_.priorities == nullptr) return;
  urgent_[priority] += keys;
  options_.priorities->Add(priority, keys);
}

void WorkQueue::AddAfter(const Key& key, base::Duration delay, Priority priority) {
  if (delay <= base::Duration::zero()) return Add(key, priority);
  std::lock_guard lock(mutex_);
  if (closed_) return;
  const base::Instant due = scope_.Elapsed() + delay;
  auto [later, added] = delayed_.try_emplace(key, Later{due, priority});
  if (!added) {
    later->second.priority = std::max(later->second.priority, priority);
    if (later->second.due <= due) return;
    delays_.erase({later->second.due, key});
    later->second.due = due;
  }
  delays_.emplace(due, key);
  ArmLocked();
}

void WorkQueue::AddRateLimited(const Key& key, Priority priority) {
  base::Duration delay;
  {
    std::lock_guard lock(mutex_);
    delay = options_.backoff.After(failures_[key]++);
  }
  Report(kRetries, 1);
  AddAfter(key, delay, priority);
}

void WorkQueue::Forget(const Key& key) {
  std::lock_guard lock(mutex_);
  if (!failures_.empty()) failures_.erase(key);
}

int WorkQueue::Failures(const Key& key) const {
  std::lock_guard lock(mutex_);
  const auto found = failures_.find(key);
  return found == failures_.end() ? 0 : found->second;
}

std::optional<WorkQueue::Key> WorkQueue::Take() {
  std::lock_guard lock(mutex_);
  return TakeLocked(order_.begin());
}

std::optional<WorkQueue::Key> WorkQueue::TakeLowerPriority() {
  std::lock_guard lock(mutex_);
  return TakeLocked(OldestLowerPriorityLocked());
}

std::map<WorkQueue::Rank, WorkQueue::Key>::iterator WorkQueue::OldestLowerPriorityLocked() {
  const auto next_lower = [this](auto entry) {
    return entry == order_.end()
               ? entry
               : order_.upper_bound({entry->first.priority, std::numeric_limits<uint64_t>::max()});
  };
  auto oldest = next_lower(order_.begin());
  for (auto entry = next_lower(oldest); entry != order_.end(); entry = next_lower(entry)) {
    if (entry->first.sequence < oldest->first.sequence) oldest = entry;
  }
  return oldest;
}

std::optional<WorkQueue::Key> WorkQueue::TakeLocked(std::map<Rank, Key>::iterator entry) {
  if (closed_ || entry == order_.end()) return std::nullopt;
  Key key = std::move(entry->second);
  order_.erase(entry);
  const auto waiting = waiting_.find(key);
  ObserveSince(kQueueDuration, waiting->second.since);
  CountLocked(waiting->second.rank.priority, -1);
  waiting_.erase(waiting);
  working_.emplace(key, scope_.Elapsed());
  ReportDepthLocked();
  return key;
}

void WorkQueue::Done(const Key& key) {
  bool ready = false;
  {
    std::lock_guard lock(mutex_);
    const auto working = working_.find(key);
    if (working == working_.end()) return;
    ObserveSince(kWorkDuration, working->second);
    working_.erase(working);
    if (again_.empty()) return;
    if (const auto again = again_.extract(key)) ready = AddLocked(key, again.mapped());
  }
  if (ready) on_ready_();
}

size_t WorkQueue::ready() const {
  std::lock_guard lock(mutex_);
  return closed_ ? 0 : order_.size();
}

WorkQueue::Front WorkQueue::front() const {
  std::lock_guard lock(mutex_);
  if (closed_ || order_.empty()) return {};
  const auto& [rank, key] = *order_.begin();
  return {.ready = order_.size(),
          .priority = rank.priority,
          .since = waiting_.at(key).since,
          .mixed = order_.rbegin()->first.priority != rank.priority};
}

size_t WorkQueue::delayed() const {
  std::lock_guard lock(mutex_);
  return delayed_.size();
}

void WorkQueue::Close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    for (const auto& [priority, keys] : urgent_) options_.priorities->Add(priority, -keys);
    urgent_.clear();
    if (timer_) scope_.Cancel(timer_->second);
  }
  scope_.Close();
}

// One timer for the earliest delayed key.
void WorkQueue::ArmLocked() {
  if (delays_.empty() || closed_) return;
  const base::Instant due = delays_.begin()->first;
  if (timer_ && timer_->first <= due) return;
  if (timer_) scope_.Cancel(timer_->second);
  timer_ = {due, scope_.PostAfter(due - scope_.Elapsed(), [this] { FireDelayed(); })};
}

void WorkQueue::FireDelayed() {
  bool ready = false;
  {
    std::lock_guard lock(mutex_);
    timer_.reset();
    const base::Instant now = scope_.Elapsed();
    while (!delays_.empty() && delays_.begin()->first <= now) {
      const Key key = delays_.begin()->second;
      delays_.erase(delays_.begin());
      const Priority priority = delayed_.extract(key).mapped().priority;
      ready |= AddLocked(key, priority);
    }
    ArmLocked();
  }
  if (ready) on_ready_();
}

void WorkQueue::Report(const std::string& name, double by) {
  if (options_.metrics != nullptr) options_.metrics->Increment(name, labels_, by);
}

void WorkQueue::ReportDepthLocked() {
  if (options_.metrics == nullptr) return;
  options_.metrics->Set(kDepth, labels_, static_cast<double>(order_.size()));
}

void WorkQueue::ObserveSince(const std::string& name, base::Instant since) {
  if (options_.metrics == nullptr) return;
  options_.metrics->Observe(name, labels_, Seconds(scope_.Elapsed() - since));
}

}  // namespace coppice::kube
