#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <unordered_map>

#include "kube/executor/executor.h"

namespace coppice::kube {

// An executor for tests and simulations: one thread, virtual time. Nothing happens until one of
// the Run functions is called; then tasks run one after the other, the next one picked from the
// seed (seed 0: in the order they were posted), and when none is runnable time jumps to the next
// timer. The same program with the same seed does the same thing every time.
//
//   kube::Stepper stepper(seed);
//   manager->Start();
//   EXPECT_TRUE(stepper.RunUntil([&] { return AllPodsReady(); }, std::chrono::minutes(5)));
//
// Posting is thread-safe; running is for one thread.
class Stepper final : public Executor {
 public:
  explicit Stepper(uint64_t seed = 0) : seed_(seed), random_(seed) {}
  Stepper(uint64_t seed, base::Time start) : seed_(seed), random_(seed), clock_(start) {}
  ~Stepper() override;

  const base::Clock& clock() const override { return clock_; }
  void Post(Task task) override;
  TimerId PostAfter(base::Duration delay, Task task) override;
  bool Cancel(TimerId timer) override;

  // Runs what is due now, without moving the clock. False when the step limit was reached first.
  bool RunUntilIdle();
  // Runs everything that is due within `duration`; the clock stands that much later afterwards.
  bool RunFor(base::Duration duration);
  // Runs until `done` returns true, which is checked before every step, for at most `limit` of
  // virtual time. Returns whether it was done.
  bool RunUntil(const std::function<bool()>& done, base::Duration limit);
  // Runs one task that is due now. False when there is none.
  bool Step();
  // Sets the wall clock; timers are not affected.
  void SetClock(base::Time time) { clock_.Set(time); }
  // Time passes and nothing runs: the process was stopped, or the machine suspended.
  void Sleep(base::Duration duration) { clock_.Advance(duration); }
  // When the next timer is due, if any.
  std::optional<base::Instant> NextTimer() const;

  uint64_t seed() const { return seed_; }
  // Tasks run so far.
  uint64_t steps() const { return steps_; }
  // How many tasks may run without the clock moving before a Run function gives up with an error
  // in the log: something keeps posting itself.
  void set_step_limit(uint64_t limit) { step_limit_ = limit; }

 private:
  using TimerKey = std::pair<base::Instant, TimerId>;

  void MoveDueTimers();
  Task TakeNext();
  bool LimitReached(uint64_t steps_here) const;
  // Moves the clock to the next timer that is due by `end`, or to `end`. False in the latter case.
  bool AdvanceTowards(base::Instant end);

  const uint64_t seed_;
  std::mt19937_64 random_;
  base::VirtualClock clock_;
  uint64_t steps_ = 0;
  uint64_t step_limit_ = 10'000'000;

  mutable std::mutex mutex_;  // Guards all below.
  std::deque<Task> runnable_;
  std::map<TimerKey, Task> timers_;
  std::unordered_map<TimerId, base::Instant> timer_times_;
  TimerId next_timer_ = 1;
};

}  // namespace coppice::kube
