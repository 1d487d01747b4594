#include "kube/controller/status_pacer.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace coppice::kube {
namespace {

using json::Value;

// How long a status lets urgent work pass, and when it looks again.
constexpr base::Duration kStatusPatience = std::chrono::seconds(10);
constexpr base::Duration kStatusLookAgain = std::chrono::seconds(1);

bool IsTime(std::string_view name) { return name.ends_with("Time") || name.ends_with("At"); }

Value WithoutTimes(const Value& value) {
  if (value.IsArray()) {
    Value items = Value::Array();
    for (const Value& item : value.Items()) items.Append(WithoutTimes(item));
    return items;
  }
  if (!value.IsObject()) return value;
  Value members = Value::Object();
  for (const json::Member& member : value.Members()) {
    // The presence of a timestamp counts, its value does not.
    members.Set(member.name(), IsTime(member.name()) ? Value(true) : WithoutTimes(member.value));
  }
  return members;
}

}  // namespace

base::Duration StatusPacer::Rest(const api::ObjectKey& key, const Value& status,
                                 base::Instant now) {
  Value timeless = WithoutTimes(status);
  const std::lock_guard lock(mutex_);
  const auto [entry, fresh] = resting_.try_emplace(key, Resting{timeless, now, now});
  Resting& resting = entry->second;
  if (!fresh && resting.status != timeless) {
    resting.status = std::move(timeless);
    resting.since = now;
  }
  base::Instant due = std::min(resting.since + options_.quiet, resting.started + options_.longest);
  if (options_.priorities != nullptr && options_.priorities->AnyHigherThan(options_.priority)) {
    due = std::max(due, std::min(now + kStatusLookAgain, resting.started + kStatusPatience));
  }
  return std::max(due - now, base::Duration::zero());
}

void StatusPacer::Forget(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  resting_.erase(key);
}

size_t StatusPacer::size() const {
  const std::lock_guard lock(mutex_);
  return resting_.size();
}

}  // namespace coppice::kube
