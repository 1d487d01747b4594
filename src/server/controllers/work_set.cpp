#include "server/controllers/work_set.h"

#include <chrono>

namespace coppice::server {
namespace {

constexpr std::chrono::seconds kRetryDelay(1);

}  // namespace

void WorkSet::Start(kube::Executor& executor) {
  std::lock_guard lock(mutex_);
  scope_ = std::make_unique<kube::TaskScope>(executor);
  Post();
}

void WorkSet::Stop() {
  kube::TaskScope* scope;
  {
    std::lock_guard lock(mutex_);
    scope = scope_.get();
  }
  // Without the lock: a running worker may still add keys.
  if (scope) scope->Close();
  std::lock_guard lock(mutex_);
  scope_.reset();
}

void WorkSet::Add(std::string key) {
  std::lock_guard lock(mutex_);
  if (!queued_.insert(key).second) return;
  queue_.push_back(std::move(key));
  Post();
}

void WorkSet::AddAfter(std::string key, base::Duration delay) {
  std::lock_guard lock(mutex_);
  if (!scope_) return;
  scope_->PostAfter(delay, [this, key = std::move(key)] { Add(key); });
}

// With mutex_ held.
void WorkSet::Post() {
  if (running_ || queue_.empty() || !scope_) return;
  running_ = true;
  scope_->Post([this] { Run(); });
}

void WorkSet::Run() {
  std::string key;
  {
    std::lock_guard lock(mutex_);
    key = std::move(queue_.front());
    queue_.pop_front();
    queued_.erase(key);
  }
  const bool done = worker_(key);
  {
    std::lock_guard lock(mutex_);
    running_ = false;
    Post();
  }
  if (!done) AddAfter(std::move(key), kRetryDelay);
}

}  // namespace coppice::server
