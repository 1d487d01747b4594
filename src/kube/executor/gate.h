#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace coppice::kube {

// Counts the calls that are inside an object, so that its owner can reject new ones and wait for
// the rest to leave before it is destroyed. Thread-safe.
//
//   if (Gate::Pass pass(gate); pass) { … }
class Gate {
 public:
  // Inside the gate for as long as it lives; false when the gate was closed already.
  class Pass {
   public:
    explicit Pass(Gate& gate) : gate_(gate.Enter() ? &gate : nullptr) {}
    ~Pass() {
      if (gate_ != nullptr) gate_->Leave();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    explicit operator bool() const { return gate_ != nullptr; }

   private:
    Gate* gate_;
  };

  // Rejects new calls. Returns when all others have left; passes held by the calling thread do not
  // count, so that an object can be stopped from within its own task.
  void Close();
  bool closed() const;

 private:
  bool Enter();
  void Leave();
  bool OthersInside() const;

  mutable std::mutex mutex_;  // Guards all below.
  std::condition_variable left_;
  std::vector<std::thread::id> inside_;
  bool closed_ = false;
};

}  // namespace coppice::kube
