#include "kube/controller/debouncer.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace coppice::kube {
namespace {

using json::Value;

// The quiet period is at least as long as so many writes take, up to the limit.
constexpr int kWritesPerPeriod = 20;
constexpr base::Duration kLongestPeriod = std::chrono::seconds(2);
// Under load there may be no work of a higher priority for an instant, between two pods.
constexpr base::Duration kCalm = std::chrono::milliseconds(200);

bool IsTime(std::string_view name) { return name.ends_with("Time") || name.ends_with("At"); }

Value WithoutTimes(const Value& value) {
  if (value.IsArray()) {
    std::vector<Value> items;
    items.reserve(value.size());
    for (const Value& item : value.Items()) items.push_back(WithoutTimes(item));
    return Value::Array(std::move(items));
  }
  if (!value.IsObject()) return value;
  std::vector<json::Member> members;
  members.reserve(value.size());
  for (const json::Member& member : value.Members()) {
    members.push_back(
        {member.key, IsTime(member.name()) ? Value(true) : WithoutTimes(member.value)});
  }
  return Value::Object(std::move(members));
}

}  // namespace

base::Duration Debouncer::Delay(const api::ObjectKey& key, const Value& content,
                                base::Instant now) {
  Value timeless = WithoutTimes(content);
  const std::lock_guard lock(mutex_);
  const auto [entry, added] = pending_.try_emplace(key, Pending{timeless, now, now});
  Pending& pending = entry->second;
  if (!added && pending.content != timeless) {
    pending.content = std::move(timeless);
    pending.since = now;
  }
  const base::Duration delay = DelayLocked(pending, now);
  if (delay <= base::Duration::zero()) pending_.erase(entry);
  return std::max(delay, base::Duration::zero());
}

base::Duration Debouncer::DelayLocked(const Pending& pending, base::Instant now) {
  const base::Instant due = std::min(pending.since + std::max(options_.quiet, slowest_),
                                     pending.first + std::max(options_.longest, slowest_));
  if (!YieldsLocked(pending.first, now)) return due - now;
  const base::Duration left = pending.first + PriorityTracker::kLongestDeferral - now;
  return std::max(due - now, std::min(RecheckLocked(), left));
}

bool Debouncer::YieldsLocked(base::Instant first, base::Instant now) {
  if (options_.priorities == nullptr) return false;
  if (options_.priorities->AnyHigherThan(options_.priority)) busy_until_ = now + kCalm;
  return now < busy_until_ && now - first < PriorityTracker::kLongestDeferral;
}

base::Duration Debouncer::RecheckLocked() const {
  return std::max(
      options_.recheck,
      std::min<base::Duration>(std::chrono::milliseconds(1) * pending_.size(), kLongestPeriod));
}

bool Debouncer::IsPending(const api::ObjectKey& key) const {
  const std::lock_guard lock(mutex_);
  return pending_.contains(key);
}

void Debouncer::Forget(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  pending_.erase(key);
}

void Debouncer::Wrote(base::Duration took) {
  const std::lock_guard lock(mutex_);
  slowest_ = std::min(kWritesPerPeriod * took, kLongestPeriod);
}

size_t Debouncer::size() const {
  const std::lock_guard lock(mutex_);
  return pending_.size();
}

}  // namespace coppice::kube
