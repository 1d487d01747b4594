#include "backends/model/scheduler_signs.h"

#include <algorithm>
#include <map>

#include "api/view/coordination.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr std::string_view kKaiImage = "kai-scheduler/scheduler";
constexpr std::string_view kOwnScheduler = "coppice-scheduler";
constexpr std::string_view kNameFlag = "--scheduler-name=";

// Substrings of the names of a scheduler's Lease, container or image. They must not match its
// controllers and webhooks, which also run without it. Our scheduler serves three backends.
std::vector<std::string_view> WordsFor(std::string_view backend) {
  static const std::map<std::string_view, std::vector<std::string_view>> kWords = {
      {"kai", {kEmbeddedSchedulerLease, "kai-scheduler-", kKaiImage, kOwnScheduler}},
      {"podgang", {kEmbeddedSchedulerLease, "kai-scheduler-", kKaiImage, kOwnScheduler}},
      {"default", {kEmbeddedSchedulerLease, "kube-scheduler"}},
      {"volcano", {"vc-scheduler", "volcano-scheduler"}},
      {"koordinator", {"koord-scheduler"}},
      {"yunikorn", {"yunikorn-scheduler", "yunikorn:scheduler"}},
      {"scheduler-plugins", {"scheduler-plugins-scheduler", "scheduler-plugins/kube-scheduler"}}};
  const auto found = kWords.find(backend);
  return found == kWords.end() ? std::vector<std::string_view>() : found->second;
}

// For our own containers, only the components are a sign: "coppice run operator scheduler". A
// running backend does not mean that its scheduler runs.
bool IsOwn(view::core::Container container) {
  return container.name() == "coppice" ||
         container.image().find("coppice") != std::string_view::npos;
}

// Events are kept for an hour; those older than this say little about the present.
constexpr std::chrono::minutes kLately(10);
// Any sign is enough, so reading the newest ones suffices.
constexpr int64_t kEventsRead = 1000;

bool IsHeld(view::coordination::LeaseSpec lease, base::Time now) {
  const auto renewed = base::ParseRfc3339(lease.renewTime());
  if (!renewed || lease.holderIdentity().empty()) return false;
  return now < *renewed + std::chrono::seconds(lease.leaseDurationSeconds(15));
}

bool IsOfLate(view::core::Event event, base::Time now) {
  for (const std::string_view time :
       {event.lastTimestamp(), event.eventTime(), event.metadata().creationTimestamp()}) {
    const auto at = base::ParseRfc3339(time);
    if (at) return now < *at + kLately;
  }
  return false;
}

}  // namespace

SchedulerSigns SchedulerSigns::Read(kube::Client& client, base::Time now) {
  SchedulerSigns signs;
  signs.ReadLeases(client, now);
  signs.ReadPods(client);
  signs.ReadEvents(client, now);
  return signs;
}

void SchedulerSigns::ReadLeases(kube::Client& client, base::Time now) {
  const auto leases = client.List(api::kLeases);
  if (!leases) return;
  may_see_ = true;
  for (const Value& lease : leases->items) {
    const view::coordination::LeaseSpec spec = view::coordination::Lease(lease).spec();
    if (IsHeld(spec, now)) names_.emplace(kube::Name(lease));
  }
}

void SchedulerSigns::ReadPods(kube::Client& client) {
  const auto pods = client.List(api::kPods, {.field_selector = "status.phase=Running"});
  if (!pods) return;
  may_see_ = true;
  for (const Value& pod : pods->items) {
    for (const view::core::Container container : view::core::Pod(pod).spec().containers()) {
      ReadContainer(container);
    }
  }
}

void SchedulerSigns::ReadContainer(view::core::Container container) {
  const bool own = IsOwn(container);
  if (!own) {
    names_.emplace(container.name());
    words_.emplace_back(container.image());
  }
  std::string_view before;
  for (const auto& list : {container.command(), container.args()}) {
    for (const std::string_view word : list) {
      if (own && word == "scheduler") words_.emplace_back(kOwnScheduler);
      if (!own && !word.starts_with('-')) words_.emplace_back(word);
      if (word.starts_with(kNameFlag)) names_.emplace(word.substr(kNameFlag.size()));
      if (before == kNameFlag.substr(0, kNameFlag.size() - 1)) names_.emplace(word);
      before = word;
    }
  }
}

void SchedulerSigns::ReadEvents(kube::Client& client, base::Time now) {
  const auto events =
      client.List(api::kEvents, {.field_selector = "reason=Scheduled", .limit = kEventsRead});
  if (!events) return;
  may_see_ = true;
  for (const Value& object : events->items) {
    const view::core::Event event(object);
    if (!IsOfLate(event, now)) continue;
    reporters_.emplace(event.reportingComponent());
    reporters_.emplace(event.source().component());
  }
}

std::optional<bool> SchedulerSigns::Seen(std::string_view backend,
                                         std::string_view scheduler_name) const {
  if (!may_see_) return std::nullopt;
  if (reporters_.contains(scheduler_name) || names_.contains(scheduler_name)) return true;
  // Our scheduler serves both.
  if (backend == "podgang" && names_.contains("kai-scheduler")) return true;
  const std::vector<std::string_view> wanted = WordsFor(backend);
  const auto is_sign = [&](std::string_view word) {
    return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view each) {
      return word.find(each) != std::string_view::npos;
    });
  };
  return std::any_of(names_.begin(), names_.end(), is_sign) ||
         std::any_of(words_.begin(), words_.end(), is_sign);
}

}  // namespace coppice::backends
