#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.h"

namespace coppice::kube {

// Runs tasks and timers. Two implementations: ThreadExecutor (a pool, real clock) and Stepper (one
// thread, virtual clock, the next runnable task picked from a seed), so that a whole control plane
// runs as one deterministic program in tests.
//
// Nothing in the product starts a thread of its own for logic, sleeps, or reads another clock.
// Tasks may block on client calls; the pool is sized for that.
class Executor {
 public:
  using Task = std::function<void()>;
  using TimerId = uint64_t;

  virtual ~Executor() = default;

  virtual const base::Clock& clock() const = 0;
  // See base::Clock: the time of day, and what passes.
  base::Time Now() const { return clock().Now(); }
  base::Instant Elapsed() const { return clock().Elapsed(); }

  // Runs `task` soon. Tasks posted separately may run at the same time and in any order.
  virtual void Post(Task task) = 0;
  virtual TimerId PostAfter(base::Duration delay, Task task) = 0;
  // True when the timer had not fired: its task will not run.
  virtual bool Cancel(TimerId timer) = 0;
};

}  // namespace coppice::kube
