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

// Leases and programs of schedulers that are not called like the scheduler's name on pods. Ours
// serves three.
std::vector<std::string_view> WordsFor(std::string_view backend) {
  static const std::map<std::string_view, std::vector<std::string_view>> kWords = {
      {"kai", {kEmbeddedSchedulerLease, "kai-scheduler", "coppice-scheduler"}},
      {"podgang", {kEmbeddedSchedulerLease, "kai-scheduler", "coppice-scheduler"}},
      {"default", {kEmbeddedSchedulerLease, "kube-scheduler"}},
      {"volcano", {"vc-scheduler", "volcano-scheduler"}},
      {"koordinator", {"koord-scheduler"}},
      {"yunikorn", {"yunikorn-scheduler", "yunikorn-admission"}},
      {"scheduler-plugins", {"scheduler-plugins"}}};
  const auto found = kWords.find(backend);
  return found == kWords.end() ? std::vector<std::string_view>() : found->second;
}

// Events stay for an hour; one this old says little about now.
constexpr std::chrono::minutes kLately(10);
// A sign is all that is wanted: the newest of so many will do.
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
    if (IsHeld(spec, now)) words_.emplace_back(kube::Name(lease));
  }
}

void SchedulerSigns::ReadPods(kube::Client& client) {
  const auto pods = client.List(api::kPods, {.field_selector = "status.phase=Running"});
  if (!pods) return;
  may_see_ = true;
  for (const Value& pod : pods->items) {
    for (const view::core::Container container : view::core::Pod(pod).spec().containers()) {
      words_.emplace_back(container.name());
      words_.emplace_back(container.image());
      // One process may run several of our components: "coppice run operator scheduler".
      const bool ours = container.image().find("coppice") != std::string_view::npos;
      for (const auto list : {container.command(), container.args()}) {
        for (const std::string_view word : list) {
          words_.emplace_back(word);
          if (ours && word.find("scheduler") != std::string_view::npos) {
            words_.emplace_back("coppice-scheduler");
          }
        }
      }
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
  if (reporters_.contains(scheduler_name)) return true;
  std::vector<std::string_view> wanted = WordsFor(backend);
  if (scheduler_name != "default-scheduler") wanted.push_back(scheduler_name);
  return std::any_of(words_.begin(), words_.end(), [&](const std::string& word) {
    return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view each) {
      return !each.empty() && word.find(each) != std::string::npos;
    });
  });
}

}  // namespace coppice::backends
