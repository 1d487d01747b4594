#include "backends/gangs/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/conditions.h"
#include "api/edit/grove.h"
#include "api/foreign/names.h"
#include "api/grove/pod_gang.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "backends/framework/pods.h"
#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using api::grove::kGangBackendSynced;
using api::grove::kGangDisruptionTarget;
using api::grove::kGangInitialized;
using api::grove::kGangReady;
using api::grove::kGangScheduled;
using api::grove::kGangTranslationDegraded;
using api::grove::kGangUnhealthy;
using json::Value;
using view::grove::Condition;
using view::grove::PodGangStatus;

constexpr std::string_view kBreached = "MinReplicasBreached";

// The state of one group's pods.
struct GroupCounts {
  int64_t bound = 0;
  int64_t healthy = 0;  // Bound and not failed.
  int64_t ready = 0;
  int64_t running = 0;
};

struct GangCounts {
  std::map<std::string, GroupCounts, std::less<>> groups;
  int64_t pods = 0;
  int64_t bound = 0;       // Of the core.
  bool any_bound = false;  // Core or surplus.
  bool core_disrupted = false;
};

// The pods that count towards a group's minimum. If one of the first minAvailable pods has no node,
// a bound pod with a higher index counts instead.
std::vector<const Value*> CoreOf(const PodGroupInfo& group, std::span<const Value> pods) {
  std::vector<const Value*> core;
  for (const Value& pod : pods) {
    if (CountsForStatus(pod) && kube::Label(pod, labels::kPodClique) == group.name) {
      core.push_back(&pod);
    }
  }
  std::stable_sort(core.begin(), core.end(), [](const Value* a, const Value* b) {
    return std::make_pair(!IsBound(*a), PodIndex(*a)) < std::make_pair(!IsBound(*b), PodIndex(*b));
  });
  const auto minimum = static_cast<size_t>(group.LastMinimum());
  if (minimum > 0 && core.size() > minimum) core.resize(minimum);
  return core;
}

void CountCore(const GangInput& gang, std::span<const Value> pods, GangCounts& counts) {
  for (const PodGroupInfo& group : gang.gang.pod_groups) {
    for (const Value* pod : CoreOf(group, pods)) {
      if (IsBound(*pod)) ++counts.bound;
      if (kube::ConditionIs(*pod, api::conditions::kPodDisruptionTarget, "True"))
        counts.core_disrupted = true;
    }
  }
}

GangCounts Count(const GangInput& gang, std::span<const Value> pods) {
  GangCounts counts;
  for (const Value& pod : pods) {
    if (!CountsForStatus(pod)) continue;
    ++counts.pods;
    GroupCounts& group = counts.groups[std::string(kube::Label(pod, labels::kPodClique))];
    const std::string_view phase = view::core::Pod(pod).status().phase();
    if (IsBound(pod)) {
      ++group.bound;
      counts.any_bound = true;
      if (phase != "Failed") ++group.healthy;
    }
    if (IsReady(pod)) ++group.ready;
    if (phase == "Running") ++group.running;
  }
  CountCore(gang, pods, counts);
  return counts;
}

// Whether every group reaches its minimum of what `count` counts.
bool EveryGroup(const GangInput& gang, const GangCounts& counts, int64_t GroupCounts::* count) {
  for (const PodGroupInfo& group : gang.gang.pod_groups) {
    const auto found = counts.groups.find(group.name);
    const int64_t have = found == counts.groups.end() ? 0 : found->second.*count;
    if (have < group.LastMinimum()) return false;
  }
  return counts.pods > 0;
}

// An empty view if there is none.
Condition FindCondition(PodGangStatus status, std::string_view type) {
  static const Value kNone;
  for (const Condition condition : status.conditions()) {
    if (condition.type() == type) return condition;
  }
  return Condition(kNone);
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Schedulers and third-party plugins give reasons as text ("Not enough resources for the
// workload"), but an API server rejects a condition whose reason is not one word.
std::string OneWord(std::string_view reason) {
  std::string word;
  bool starts = false;
  for (const char c : reason.substr(0, 1024)) {
    if (!IsLetter(c) && (word.empty() || (!IsDigit(c) && c != '_'))) {
      starts = true;
      continue;
    }
    word += starts && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    starts = false;
  }
  return word.empty() ? "Unspecified" : word;
}

class StatusBuilder {
 public:
  explicit StatusBuilder(const StatusInput& input)
      : input_(input), status_(input.old_status), counts_(Count(input.gang, input.pods)) {
    if (!status_.IsObject()) status_ = Value::Object();
  }

  Value Build() {
    SetInitialized();
    SetSynced();
    SetDegraded();
    SetScheduled();
    SetReady();
    SetUnhealthy();
    SetDisruption();
    edit::grove::PodGangStatus(status_).set_phase(Phase());
    SetScore();
    return status_;
  }

 private:
  void Set(std::string_view type, bool value, std::string_view reason, std::string_view message) {
    const Condition old = Old(type);
    const std::string_view status = value ? "True" : "False";
    const std::string word = OneWord(reason);
    message = message.substr(0, 32768);
    const bool same_status = old.status() == status;
    // Only BackendSynced reports a new generation.
    if (same_status && type != kGangBackendSynced && old.has_reason() && old.reason() == word &&
        old.has_message() && old.message() == message) {
      return;
    }
    Value condition;
    edit::grove::Condition(condition)
        .set_type(type)
        .set_status(status)
        .set_reason(word)
        .set_message(message)
        .set_observedGeneration(input_.gang.gang.generation)
        .set_lastTransitionTime(same_status ? old.lastTransitionTime() : input_.now);
    Replace(std::move(condition));
  }

  void Replace(Value condition) {
    Value& conditions = edit::grove::PodGangStatus(status_).conditions().Json();
    for (Value& present : conditions.MutableItems()) {
      if (Condition(present).type() != Condition(condition).type()) continue;
      present = std::move(condition);
      return;
    }
    conditions.Append(std::move(condition));
  }

  Condition Old(std::string_view type) const {
    return FindCondition(PodGangStatus(input_.old_status), type);
  }

  bool Was(std::string_view type) const { return Old(type).status() == "True"; }

  // Before the gang is initialized nothing waits for improvements, so they are reported once, at
  // the end.
  bool Initialized() const { return Was(kGangInitialized) || input_.has_pods; }

  // Stays True once all pods existed. Has no generation, as in Grove's operator.
  void SetInitialized() {
    const std::string_view status = input_.has_pods ? "True" : "False";
    if (Was(kGangInitialized) || Old(kGangInitialized).status() == status) return;
    Value condition;
    edit::grove::Condition(condition)
        .set_type(kGangInitialized)
        .set_status(status)
        .set_reason(input_.has_pods ? "PodGangPodsCreated" : "PodGangPodsCreationPending")
        .set_message(input_.has_pods ? "PodGang is fully initialized"
                                     : "Not all constituent pods have been created yet")
        .set_lastTransitionTime(input_.now);
    Replace(std::move(condition));
  }

  void SetSynced() {
    if (input_.problem) {
      const Refusal& problem = *input_.problem;
      const std::string message =
          problem.path.empty() ? problem.message : problem.path + ": " + problem.message;
      Set(kGangBackendSynced, false, problem.reason, message);
    } else if (Initialized() || Old(kGangBackendSynced)) {
      Set(kGangBackendSynced, true, reasons::kSynced, "");
    }
  }

  void SetDegraded() {
    if (input_.outcomes.empty()) {
      if (Was(kGangTranslationDegraded)) Set(kGangTranslationDegraded, false, "Exact", "");
      return;
    }
    bool dropped = false;
    for (const Outcome& outcome : input_.outcomes) {
      dropped |= outcome.kind == Outcome::Kind::kDropped;
    }
    Set(kGangTranslationDegraded, true, dropped ? "Dropped" : "Approximated",
        Describe(input_.outcomes));
  }

  void SetScheduled() {
    // Sticky while any of the scheduled pods exists. Their replacements may exist before the last
    // of them is gone; after that they are a new gang, all or nothing again.
    const bool sticky = Was(kGangScheduled) && counts_.any_bound;
    scheduled_ = sticky || EveryGroup(input_.gang, counts_, &GroupCounts::bound);
    if (scheduled_) {
      Set(kGangScheduled, true, "PodGangScheduled", "");
    } else if (!input_.signals.unschedulable_reason.empty()) {
      Set(kGangScheduled, false, input_.signals.unschedulable_reason,
          input_.signals.unschedulable_message);
    } else if (Initialized() || Was(kGangScheduled)) {
      Set(kGangScheduled, false, "WaitingForScheduler", input_.signals.message);
    }
  }

  void SetReady() {
    if (EveryGroup(input_.gang, counts_, &GroupCounts::ready)) {
      Set(kGangReady, true, "PodGangReady", "");
    } else if (Initialized() || Was(kGangReady)) {
      Set(kGangReady, false, "PodsNotReady", "");
    }
  }

  void SetUnhealthy() {
    if (WasWhole() && !EveryGroup(input_.gang, counts_, &GroupCounts::healthy)) {
      // What a backend reports concerns placed pods, and ends with them.
      const std::string& reason = input_.signals.unhealthy_reason;
      Set(kGangUnhealthy, true, !scheduled_ || reason.empty() ? kBreached : reason, Breached());
    } else if (!input_.signals.unhealthy_reason.empty()) {
      Set(kGangUnhealthy, true, input_.signals.unhealthy_reason, input_.signals.message);
    } else if (Was(kGangUnhealthy)) {
      Set(kGangUnhealthy, false, "PodGangHealthy", "");
    }
  }

  // A gang that lost all its pods at once is not healthy just because it waits to be scheduled
  // again.
  bool WasWhole() const {
    return scheduled_ || Was(kGangScheduled) ||
           (Was(kGangUnhealthy) && Old(kGangUnhealthy).reason() == kBreached);
  }

  std::string Breached() const {
    for (const PodGroupInfo& group : input_.gang.gang.pod_groups) {
      const auto found = counts_.groups.find(group.name);
      const int64_t healthy = found == counts_.groups.end() ? 0 : found->second.healthy;
      if (healthy >= group.LastMinimum()) continue;
      return fmt::format("group {} has {} of {} pods", group.name, healthy, group.LastMinimum());
    }
    return {};
  }

  void SetDisruption() {
    const bool backend_says = !input_.signals.disruption_reason.empty();
    if (counts_.core_disrupted || backend_says) {
      Set(kGangDisruptionTarget, true,
          backend_says ? input_.signals.disruption_reason : "PodDisruptionTarget",
          input_.signals.message);
    } else if (Was(kGangDisruptionTarget)) {
      Set(kGangDisruptionTarget, false, "NotDisrupted", "");
    }
  }

  std::string_view Phase() const {
    if (counts_.bound == 0) return "Pending";
    return EveryGroup(input_.gang, counts_, &GroupCounts::running) ? "Running" : "Starting";
  }

  void SetScore() {
    const auto score = scheduled_ ? PlacementScore(input_.gang, input_.pods) : std::nullopt;
    const edit::grove::PodGangStatus status(status_);
    if (score) {
      status.set_placementScore(*score);
    } else {
      status.clear_placementScore();
    }
  }

  const StatusInput& input_;
  Value status_;
  const GangCounts counts_;
  bool scheduled_ = false;
};

bool IsBad(Condition condition) {
  return condition.status() == (condition.type() == kGangBackendSynced ? "False" : "True");
}

}  // namespace

bool CountsForStatus(const Value& pod) {
  return !kube::IsDeleting(pod) &&
         kube::Annotation(pod, api::foreign::kYunikornInternalPlaceholder) != "true" &&
         kube::Annotation(pod, api::foreign::kYunikornPlaceholder) != "true";
}

Value ComputeStatus(const StatusInput& input) { return StatusBuilder(input).Build(); }

bool OnlyImproves(const Value& old_status, const Value& status) {
  for (const Condition now : PodGangStatus(status).conditions()) {
    const std::string_view type = now.type();
    if (now == FindCondition(PodGangStatus(old_status), type)) continue;
    const bool hoped_for = type == kGangScheduled || type == kGangReady;
    if (!hoped_for || now.status() != "True") return false;
  }
  return true;
}

std::vector<Transition> BadTransitions(const Value& old_status, const Value& status) {
  std::vector<Transition> transitions;
  for (const std::string_view type : {kGangBackendSynced, kGangTranslationDegraded}) {
    const Condition now = FindCondition(PodGangStatus(status), type);
    const Condition before = FindCondition(PodGangStatus(old_status), type);
    if (!IsBad(now)) continue;
    if (IsBad(before) && before.reason() == now.reason()) continue;
    transitions.push_back(
        {std::string(type), std::string(now.reason()), std::string(now.message())});
  }
  return transitions;
}

std::vector<Transition> AllTransitions(const Value& old_status, const Value& status) {
  std::vector<Transition> transitions;
  for (const Condition now : PodGangStatus(status).conditions()) {
    const Condition before = FindCondition(PodGangStatus(old_status), now.type());
    if (before.status() == now.status() && before.reason() == now.reason()) continue;
    transitions.push_back({std::string(now.type()),
                           fmt::format("{} {}", now.status(), now.reason()),
                           std::string(now.message())});
  }
  return transitions;
}

}  // namespace coppice::backends
