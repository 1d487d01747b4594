#include "kube/executor/stepper.h"

#include "base/log.h"

namespace coppice::kube {

// Tasks may own objects whose destructors post or cancel again: they go one by one, unlocked.
Stepper::~Stepper() {
  while (true) {
    Task task;
    std::lock_guard lock(mutex_);
    if (!runnable_.empty()) {
      task = std::move(runnable_.front());
      runnable_.pop_front();
    } else if (!timers_.empty()) {
      task = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
    } else {
      return;
    }
  }
}

void Stepper::Post(Task task) {
  std::lock_guard lock(mutex_);
  runnable_.push_back(std::move(task));
}

Executor::TimerId Stepper::PostAfter(base::Duration delay, Task task) {
  std::lock_guard lock(mutex_);
  const TimerId id = next_timer_++;
  const base::Instant due = clock_.Elapsed() + std::max(delay, base::Duration::zero());
  timers_.emplace(TimerKey{due, id}, std::move(task));
  timer_times_.emplace(id, due);
  return id;
}

bool Stepper::Cancel(TimerId timer) {
  Task cancelled;  // Destroyed after the lock is released.
  std::lock_guard lock(mutex_);
  const auto time = timer_times_.find(timer);
  if (time == timer_times_.end()) return false;
  const auto entry = timers_.find({time->second, timer});
  cancelled = std::move(entry->second);
  timers_.erase(entry);
  timer_times_.erase(time);
  return true;
}

bool Stepper::Step() {
  Task task;
  {
    std::lock_guard lock(mutex_);
    MoveDueTimers();
    if (runnable_.empty()) return false;
    task = TakeNext();
  }
  ++steps_;
  task();
  return true;
}

bool Stepper::RunUntilIdle() {
  for (uint64_t count = 0; Step(); ++count) {
    if (LimitReached(count)) return false;
  }
  return true;
}

bool Stepper::RunFor(base::Duration duration) {
  const base::Instant end = clock_.Elapsed() + duration;
  do {
    if (!RunUntilIdle()) return false;
  } while (AdvanceTowards(end));
  return true;
}

bool Stepper::RunUntil(const std::function<bool()>& done, base::Duration limit) {
  const base::Instant end = clock_.Elapsed() + limit;
  uint64_t count = 0;
  while (!done()) {
    if (Step()) {
      if (LimitReached(++count)) return false;
    } else {
      if (!AdvanceTowards(end)) return done();
      count = 0;
    }
  }
  return true;
}

std::optional<base::Instant> Stepper::NextTimer() const {
  std::lock_guard lock(mutex_);
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first.first;
}

void Stepper::MoveDueTimers() {
  const base::Instant now = clock_.Elapsed();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    timer_times_.erase(timers_.begin()->first.second);
    runnable_.push_back(std::move(timers_.begin()->second));
    timers_.erase(timers_.begin());
  }
}

Executor::Task Stepper::TakeNext() {
  if (seed_ == 0) {
    Task task = std::move(runnable_.front());
    runnable_.pop_front();
    return task;
  }
  std::swap(runnable_[random_() % runnable_.size()], runnable_.back());
  Task task = std::move(runnable_.back());
  runnable_.pop_back();
  return task;
}

bool Stepper::LimitReached(uint64_t steps_here) const {
  if (steps_here < step_limit_) return false;
  base::LogError(
      "livelock: tasks keep posting tasks while the virtual clock stands still",
      {{"steps", steps_here}, {"time", base::FormatRfc3339Micro(clock_.Now())}, {"seed", seed_}});
  return true;
}

bool Stepper::AdvanceTowards(base::Instant end) {
  const std::optional<base::Instant> next = NextTimer();
  const bool due = next && *next <= end;
  clock_.AdvanceTo(due ? *next : end);
  return due;
}

}  // namespace coppice::kube
