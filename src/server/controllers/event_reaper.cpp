#include "server/controllers/event_reaper.h"

#include <chrono>

namespace coppice::server {
namespace {

constexpr std::chrono::hours kTimeToLive(1);
constexpr std::chrono::minutes kInterval(5);
constexpr std::string_view kEvents = "/events";

// When an event was last touched, as far as it says.
base::Time LastSeen(const json::Value& event, base::Time fallback) {
  for (const json::Value* text : {&event["series"]["lastObservedTime"], &event["lastTimestamp"],
                                  &event["eventTime"], &event["metadata"]["creationTimestamp"]}) {
    const auto time = base::ParseRfc3339(text->AsString());
    if (time) return *time;
  }
  return fallback;
}

}  // namespace

void EventReaper::Start(kube::Executor& executor) {
  scope_ = std::make_unique<kube::TaskScope>(executor);
  Schedule();
}

void EventReaper::Schedule() {
  scope_->PostAfter(kInterval, [this] {
    Reap();
    Schedule();
  });
}

void EventReaper::Reap() {
  const base::Time now = core_.clock().Now();
  const auto events = core_.store().List(kEvents, {});
  if (!events) return;
  for (const store::VersionPtr& event : events->items) {
    if (now - LastSeen(event->value(), now) < kTimeToLive) continue;
    // One that has just been written again stays: its revision differs.
    (void)core_.store().Delete(kEvents, event->name(), event->revision()).ok();
  }
}

}  // namespace coppice::server
