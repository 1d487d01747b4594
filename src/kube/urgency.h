#pragma once

#include <atomic>

namespace coppice::kube {

// How many urgent keys wait in the work queues of a process, so that what can wait lets them pass:
// while there are any, each controller works on one other key at a time and few events are written.
// So much goes on, whatever is urgent: nothing starves. Thread-safe.
class Urgency {
 public:
  bool Any() const { return waiting_ > 0; }
  void Add(int keys) { waiting_ += keys; }

 private:
  std::atomic<int> waiting_ = 0;
};

}  // namespace coppice::kube
