#include "kube/executor/gate.h"

#include <algorithm>

namespace coppice::kube {

void Gate::Close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  left_.wait(lock, [this] { return !OthersInside(); });
}

bool Gate::closed() const {
  std::lock_guard lock(mutex_);
  return closed_;
}

bool Gate::Enter() {
  std::lock_guard lock(mutex_);
  if (closed_) return false;
  inside_.push_back(std::this_thread::get_id());
  return true;
}

void Gate::Leave() {
  // Notified under the lock: the closer may destroy the gate as soon as it is empty.
  std::lock_guard lock(mutex_);
  const auto mine = std::find(inside_.begin(), inside_.end(), std::this_thread::get_id());
  *mine = inside_.back();
  inside_.pop_back();
  if (closed_) left_.notify_all();
}

bool Gate::OthersInside() const {
  const auto self = std::this_thread::get_id();
  return std::any_of(inside_.begin(), inside_.end(), [&](auto id) { return id != self; });
}

}  // namespace coppice::kube
