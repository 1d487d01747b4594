#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "api/resource.h"
#include "kube/executor/backoff.h"
#include "kube/executor/priority.h"
#include "kube/executor/task_scope.h"
#include "kube/metrics.h"

namespace coppice::kube {

// A queue of keys to process. A key is in the queue at most once. A key that is added while it is
// being processed is queued again afterwards, so no key is processed twice at a time. Higher
// priorities come first, equal ones in the order they were added. Thread-safe.
//
//   while (auto key = queue.Take()) { Work(*key); queue.Done(*key); }
class WorkQueue {
 public:
  using Key = api::ObjectKey;

  struct Options {
    std::string name;
    Backoff backoff;
    Metrics* metrics = nullptr;
    // Counts queued keys above kNormal. Must outlive the queue.
    PriorityTracker* priorities = nullptr;
  };

  // `on_ready` is called, without locks held, whenever a key has become available to Take.
  WorkQueue(Executor& executor, Options options, std::function<void()> on_ready);

  // The higher of the given and the present priority counts.
  void Add(const Key& key, Priority priority = Priority::kNormal);
  // After `delay`, unless an earlier time is set for the key already.
  void AddAfter(const Key& key, base::Duration delay, Priority priority = Priority::kNormal);
  // After the key's backoff, which grows with each call until Forget.
  void AddRateLimited(const Key& key, Priority priority = Priority::kNormal);
  void Forget(const Key& key);
  int Failures(const Key& key) const;

  // The next key, to be returned with Done; nullopt if none is ready.
  std::optional<Key> Take();
  // The same for lower priorities: the oldest key whose priority is below that of the first.
  std::optional<Key> TakeLowerPriority();
  void Done(const Key& key);

  // Keys ready to be taken.
  size_t ready() const;
  // The key that Take would return, and how many there are.
  struct Front {
    size_t ready = 0;  // Keys.
    Priority priority = Priority::kNormal;
    base::Instant since{};  // When it was added.
    bool mixed = false;     // Some keys have a lower priority.
  };
  Front front() const;
  // Delayed keys.
  size_t delayed() const;
  // Take returns nothing from now on.
  void Close();

 private:
  struct Rank {
    Priority priority = Priority::kNormal;
    uint64_t sequence = 0;
    // Highest priority first, then oldest.
    friend bool operator<(const Rank& a, const Rank& b) {
      return a.priority != b.priority ? a.priority > b.priority : a.sequence < b.sequence;
    }
  };
  struct Waiting {
    Rank rank;
    base::Instant since;
  };
  struct Later {
    base::Instant due;
    Priority priority = Priority::kNormal;
  };

  std::map<Rank, Key>::iterator OldestLowerPriorityLocked();
  std::optional<Key> TakeLocked(std::map<Rank, Key>::iterator entry);
  bool AddLocked(const Key& key, Priority priority);
  void EnqueueLocked(const Key& key, Priority priority);
  void ArmLocked();
  void FireDelayed();
  void Report(const std::string& name, double by);
  void ReportDepthLocked();
  void CountLocked(Priority priority, int keys);
  void ObserveSince(const std::string& name, base::Instant since);

  const Options options_;
  const Labels labels_;
  const std::function<void()> on_ready_;

  mutable std::mutex mutex_;  // Guards all below.
  std::unordered_map<Key, Waiting, api::ObjectKeyHash> waiting_;
  std::map<Rank, Key> order_;
  std::unordered_map<Key, base::Instant, api::ObjectKeyHash> working_;
  std::unordered_map<Key, Priority, api::ObjectKeyHash> again_;  // Added while being processed.
  std::unordered_map<Key, int, api::ObjectKeyHash> failures_;
  std::unordered_map<Key, Later, api::ObjectKeyHash> delayed_;
  std::set<std::pair<base::Instant, Key>> delays_;
  std::optional<std::pair<base::Instant, Executor::TimerId>> timer_;
  uint64_t sequence_ = 0;
  std::map<Priority, int> urgent_;  // Queued keys, as counted in options_.priorities.
  bool closed_ = false;

  TaskScope scope_;
};

}  // namespace coppice::kube
