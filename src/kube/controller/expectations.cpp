#include "kube/controller/expectations.h"

namespace coppice::kube {

using api::ObjectKey;

void Expectations::ExpectCreate(const ObjectKey& owner, const std::string& uid) {
  std::lock_guard lock(mutex_);
  pending_[owner].creates.insert(uid);
}

void Expectations::ExpectDelete(const ObjectKey& owner, const std::string& uid) {
  std::lock_guard lock(mutex_);
  Pending& pending = pending_[owner];
  pending.creates.erase(uid);
  pending.deletes.insert(uid);
}

void Expectations::Gone(const ObjectKey& owner, const std::string& uid) {
  std::lock_guard lock(mutex_);
  const auto found = pending_.find(owner);
  if (found == pending_.end()) return;
  found->second.creates.erase(uid);
  found->second.deletes.erase(uid);
}

Expectations::Pending Expectations::Sync(const ObjectKey& owner, const Uids& live,
                                         const Uids& terminating) {
  std::lock_guard lock(mutex_);
  Pending& pending = pending_[owner];
  for (const std::string& uid : live) pending.creates.erase(uid);
  for (const std::string& uid : terminating) pending.creates.erase(uid);
  std::erase_if(pending.deletes, [&](const std::string& uid) { return !live.contains(uid); });
  pending.deletes.insert(terminating.begin(), terminating.end());
  Pending left = pending;
  if (left.creates.empty() && left.deletes.empty()) pending_.erase(owner);
  return left;
}

Expectations::Pending Expectations::Get(const ObjectKey& owner) const {
  std::lock_guard lock(mutex_);
  const auto found = pending_.find(owner);
  return found == pending_.end() ? Pending() : found->second;
}

void Expectations::Forget(const ObjectKey& owner) {
  std::lock_guard lock(mutex_);
  pending_.erase(owner);
}

size_t Expectations::size() const {
  std::lock_guard lock(mutex_);
  return pending_.size();
}

}  // namespace coppice::kube
