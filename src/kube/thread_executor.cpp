#include "kube/thread_executor.h"

namespace coppice::kube {

using std::chrono::steady_clock;

ThreadExecutor::ThreadExecutor(Options options)
    : options_(options), timer_thread_([this] { FireTimers(); }) {}

ThreadExecutor::~ThreadExecutor() { Stop(); }

void ThreadExecutor::Post(Task task) {
  std::lock_guard lock(mutex_);
  if (!stopped_) PostLocked(std::move(task));
}

void ThreadExecutor::PostLocked(Task task) {
  tasks_.push_back(std::move(task));
  if (tasks_.size() > idle_ && threads_.size() < options_.max_threads) {
    threads_.emplace_back([this] { Work(); });
  } else {
    WakeLocked();
  }
}

// One at a time: a thread that wakes up calls the next one if there is more to do. Busy threads
// have often taken the tasks by then, and nobody was woken in vain.
void ThreadExecutor::WakeLocked() {
  if (waking_ || idle_ == 0) return;
  waking_ = true;
  work_.notify_one();
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
  std::vector<std::thread> threads;
  std::thread timer_thread;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    forgotten.swap(timers_);
    timer_keys_.clear();
    threads.swap(threads_);
    timer_thread.swap(timer_thread_);
    work_.notify_all();
    timer_changed_.notify_all();
  }
  if (timer_thread.joinable()) timer_thread.join();
  for (std::thread& thread : threads) thread.join();
}

size_t ThreadExecutor::thread_count() const {
  std::lock_guard lock(mutex_);
  return threads_.size();
}

void ThreadExecutor::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    AwaitTaskLocked(lock);
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    if (!tasks_.empty()) WakeLocked();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

void ThreadExecutor::AwaitTaskLocked(std::unique_lock<std::mutex>& lock) {
  while (tasks_.empty() && !stopped_) {
    ++idle_;
    work_.wait(lock);
    --idle_;
    waking_ = false;
  }
}

void ThreadExecutor::FireTimers() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (timers_.empty()) {
      timer_changed_.wait(lock);
    } else {
      const auto due = timers_.begin()->first.first;
      timer_changed_.wait_until(lock, due);
    }
    FireDueLocked();
  }
}

void ThreadExecutor::FireDueLocked() {
  const auto now = steady_clock::now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    const auto first = timers_.begin();
    timer_keys_.erase(first->first.second);
    Task task = std::move(first->second);
    timers_.erase(first);
    PostLocked(std::move(task));
  }
}

}  // namespace coppice::kube
