#include "kube/executor/thread_executor.h"

namespace coppice::kube {

using std::chrono::steady_clock;

namespace {

// A task that takes longer is likely to wait for something.
constexpr std::chrono::milliseconds kSlow(10);

}  // namespace

ThreadExecutor::ThreadExecutor(Options options)
    : options_(options), timer_thread_([this] { FireTimers(); }) {}

ThreadExecutor::~ThreadExecutor() { Stop(); }

void ThreadExecutor::Post(Task task) {
  std::lock_guard lock(mutex_);
  if (!stopped_) PostLocked(std::move(task));
}

void ThreadExecutor::PostLocked(Task task) {
  tasks_.push_back(std::move(task));
  StartOneLocked();
}

// Whether another thread may run beside those that do.
bool ThreadExecutor::MayStartLocked() const {
  return workers_.size() - idle_ - slow_ < options_.at_once;
}

// One at a time: a thread that wakes up wakes the next one if there is more to do. Often busy
// threads have taken the tasks by then, and no thread is woken in vain.
void ThreadExecutor::StartOneLocked() {
  if (stopped_) return;
  if (!MayStartLocked()) return LookLaterLocked();
  if (tasks_.size() > idle_ && workers_.size() < options_.max_threads) {
    Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
    worker.thread = std::thread([this, &worker] { Work(worker); });
  } else if (!waking_ && idle_ > 0) {
    waking_ = true;
    work_.notify_one();
  }
}

Executor::TimerId ThreadExecutor::PostAfter(base::Duration delay, Task task) {
  const auto due = steady_clock::now() + std::max(delay, base::Duration::zero());
  std::lock_guard lock(mutex_);
  const TimerId id = next_timer_++;
  if (stopped_) return id;
  const TimerKey key{due, id};
  timers_.emplace(key, std::move(task));
  timer_keys_.emplace(id, key);
  if (timers_.begin()->first == key) timer_changed_.notify_one();
  return id;
}

bool ThreadExecutor::Cancel(TimerId timer) {
  Task cancelled;  // Destroyed after the lock is released.
  std::lock_guard lock(mutex_);
  const auto key = timer_keys_.find(timer);
  if (key == timer_keys_.end()) return false;
  const auto entry = timers_.find(key->second);
  cancelled = std::move(entry->second);
  timers_.erase(entry);
  timer_keys_.erase(key);
  return true;
}

void ThreadExecutor::Stop() {
  std::map<TimerKey, Task> forgotten;  // Destroyed after the lock is released.
  std::vector<std::unique_ptr<Worker>> workers;
  std::thread timer_thread;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    forgotten.swap(timers_);
    timer_keys_.clear();
    workers.swap(workers_);
    timer_thread.swap(timer_thread_);
    work_.notify_all();
    timer_changed_.notify_all();
  }
  if (timer_thread.joinable()) timer_thread.join();
  for (const auto& worker : workers) worker->thread.join();
}

size_t ThreadExecutor::thread_count() const {
  std::lock_guard lock(mutex_);
  return workers_.size();
}

void ThreadExecutor::Work(Worker& self) {
  std::unique_lock lock(mutex_);
  while (true) {
    AwaitTaskLocked(lock);
    if (tasks_.empty()) return;
    RunTask(self, lock);
  }
}

void ThreadExecutor::RunTask(Worker& self, std::unique_lock<std::mutex>& lock) {
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  if (!tasks_.empty()) StartOneLocked();
  ++self.taken;
  self.busy = true;
  lock.unlock();
  task();
  task = nullptr;
  lock.lock();
  self.busy = false;
  if (std::exchange(self.slow, false)) --slow_;
}

// Rests, too, where a task that took long has ended and others have taken its place.
void ThreadExecutor::AwaitTaskLocked(std::unique_lock<std::mutex>& lock) {
  while (!stopped_ && (tasks_.empty() || workers_.size() - idle_ - slow_ > options_.at_once)) {
    ++idle_;
    work_.wait(lock);
    --idle_;
    waking_ = false;
  }
}

void ThreadExecutor::FireTimers() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (const auto due = NextDueLocked()) {
      timer_changed_.wait_until(lock, *due);
    } else {
      timer_changed_.wait(lock);
    }
    const TimePoint now = steady_clock::now();
    FireDueLocked(now);
    LookForSlowOnesLocked(now);
  }
}

std::optional<ThreadExecutor::TimePoint> ThreadExecutor::NextDueLocked() const {
  if (timers_.empty()) return look_;
  const TimePoint first = timers_.begin()->first.first;
  return look_ ? std::min(first, *look_) : first;
}

void ThreadExecutor::FireDueLocked(TimePoint now) {
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    const auto first = timers_.begin();
    timer_keys_.erase(first->first.second);
    Task task = std::move(first->second);
    timers_.erase(first);
    PostLocked(std::move(task));
  }
}

void ThreadExecutor::LookLaterLocked() {
  if (look_ || options_.at_once >= options_.max_threads) return;
  look_ = steady_clock::now() + kSlow;
  timer_changed_.notify_one();
}

// A task that is the same as at the last look takes long.
void ThreadExecutor::LookForSlowOnesLocked(TimePoint now) {
  if (!look_ || now < *look_) return;
  look_.reset();
  if (tasks_.empty()) return;
  look_ = now + kSlow;
  const size_t before = slow_;
  for (const auto& worker : workers_) {
    const bool same = worker->taken == std::exchange(worker->taken_at_look, worker->taken);
    if (!same || !worker->busy || worker->slow) continue;
    worker->slow = true;
    ++slow_;
  }
  for (size_t more = slow_ - before; more > 0; --more) StartOneLocked();
}

}  // namespace coppice::kube
