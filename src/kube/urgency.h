#pragma once

#include <atomic>
#include <functional>

namespace coppice::kube {

// How much is under way in a process that others wait for: urgent keys in its work queues, and what
// components say. While there is any, each controller works on one other key at a time and events
// wait a moment. So much goes on, whatever is urgent: nothing starves. Thread-safe.
//
//   const UrgentWork creating(runtime.urgency);
class Urgency {
 public:
  // `on_relief` is called whenever nothing is urgent any more.
  explicit Urgency(std::function<void()> on_relief = [] {}) : on_relief_(std::move(on_relief)) {}

  bool Any() const { return count_ > 0; }
  void Add(int count) { count_ += count; }
  // To be called, without locks held, after something was taken away.
  void Relieve() const {
    if (!Any()) on_relief_();
  }

 private:
  const std::function<void()> on_relief_;
  std::atomic<int> count_ = 0;
};

// Urgent for as long as it lives.
class UrgentWork {
 public:
  explicit UrgentWork(Urgency& urgency) : urgency_(urgency) { urgency_.Add(1); }
  ~UrgentWork() {
    urgency_.Add(-1);
    urgency_.Relieve();
  }
  UrgentWork(const UrgentWork&) = delete;
  UrgentWork& operator=(const UrgentWork&) = delete;

 private:
  Urgency& urgency_;
};

}  // namespace coppice::kube
