#include "backends/gangs/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "backends/framework/pods.h"
#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr std::string_view kBreached = "MinReplicasBreached";

// What the pods of one group are up to.
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
  bool any_bound = false;  // Of the core or beyond.
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
      if (kube::ConditionIs(*pod, "DisruptionTarget", "True")) counts.core_disrupted = true;
    }
  }
}

GangCounts Count(const GangInput& gang, std::span<const Value> pods) {
  GangCounts counts;
  for (const Value& pod : pods) {
    if (!CountsForStatus(pod)) continue;
    ++counts.pods;
    GroupCounts& group = counts.groups[std::string(kube::Label(pod, labels::kPodClique))];
    const std::string_view phase = pod["status"]["phase"].AsString();
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

const Value& FindCondition(const Value& status, std::string_view type) {
  static const Value kNone;
  for (const Value& condition : status["conditions"].Items()) {
    if (condition["type"].AsString() == type) return condition;
  }
  return kNone;
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Schedulers, and plugins of others, give reasons in words ("Not enough resources for the
// workload"); an API server refuses a condition whose reason is not one word.
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
    status_.Set("phase", Phase());
    SetScore();
    return status_;
  }

 private:
  void Set(std::string_view type, bool value, std::string_view reason, std::string_view message) {
    const Value& old = FindCondition(input_.old_status, type);
    const std::string_view status = value ? "True" : "False";
    Value condition = Value::Object({{"type", type},
                                     {"status", status},
                                     {"reason", OneWord(reason)},
                                     {"message", message.substr(0, 32768)},
                                     {"observedGeneration", input_.gang.gang.generation}});
    const bool same_status = old["status"].AsString() == status;
    condition.Set("lastTransitionTime",
                  same_status ? old["lastTransitionTime"] : Value(input_.now));
    // A new generation alone is told by BackendSynced only.
    if (same_status && type != "BackendSynced" && old["reason"] == condition["reason"] &&
        old["message"] == condition["message"]) {
      return;
    }
    Replace(std::move(condition));
  }

  void Replace(Value condition) {
    for (Value& present : status_.Mutable("conditions").MutableItems()) {
      if (present["type"] != condition["type"]) continue;
      present = std::move(condition);
      return;
    }
    status_.Mutable("conditions").Append(std::move(condition));
  }

  bool Was(std::string_view type) const {
    return FindCondition(input_.old_status, type)["status"].AsString() == "True";
  }

  // Before the gang is initialized nobody waits for good news: it is told once, at the end.
  bool Initialized() const { return Was("Initialized") || input_.has_pods; }

  void SetInitialized() {
    if (!input_.has_pods || Was("Initialized")) return;
    Replace(Value::Object({{"type", "Initialized"},
                           {"status", "True"},
                           {"reason", "PodGangPodsCreated"},
                           {"message", "PodGang is fully initialized"},
                           {"lastTransitionTime", input_.now}}));
  }

  void SetSynced() {
    if (input_.problem) {
      const Refusal& problem = *input_.problem;
      const std::string message =
          problem.path.empty() ? problem.message : problem.path + ": " + problem.message;
      Set("BackendSynced", false, problem.reason, message);
    } else if (Initialized() || FindCondition(input_.old_status, "BackendSynced").IsObject()) {
      Set("BackendSynced", true, reasons::kSynced, "");
    }
  }

  void SetDegraded() {
    if (input_.outcomes.empty()) {
      if (Was("TranslationDegraded")) Set("TranslationDegraded", false, "Exact", "");
      return;
    }
    bool dropped = false;
    for (const Outcome& outcome : input_.outcomes) {
      dropped |= outcome.kind == Outcome::Kind::kDropped;
    }
    Set("TranslationDegraded", true, dropped ? "Dropped" : "Approximated",
        Describe(input_.outcomes));
  }

  void SetScheduled() {
    // For the life of the pods that were scheduled. Their successors may be there before the last
    // of them has gone, and are a gang of their own: all or nothing again.
    const bool sticky = Was("Scheduled") && counts_.any_bound;
    scheduled_ = sticky || EveryGroup(input_.gang, counts_, &GroupCounts::bound);
    if (scheduled_) {
      Set("Scheduled", true, "PodGangScheduled", "");
    } else if (!input_.signals.unschedulable_reason.empty()) {
      Set("Scheduled", false, input_.signals.unschedulable_reason,
          input_.signals.unschedulable_message);
    } else if (Initialized() || Was("Scheduled")) {
      Set("Scheduled", false, "WaitingForScheduler", input_.signals.message);
    }
  }

  void SetReady() {
    if (EveryGroup(input_.gang, counts_, &GroupCounts::ready)) {
      Set("Ready", true, "PodGangReady", "");
    } else if (Initialized() || Was("Ready")) {
      Set("Ready", false, "PodsNotReady", "");
    }
  }

  void SetUnhealthy() {
    if (WasWhole() && !EveryGroup(input_.gang, counts_, &GroupCounts::healthy)) {
      // What a backend says is about pods that are placed, and ends with them.
      const std::string& reason = input_.signals.unhealthy_reason;
      Set("Unhealthy", true, !scheduled_ || reason.empty() ? kBreached : reason, Breached());
    } else if (!input_.signals.unhealthy_reason.empty()) {
      Set("Unhealthy", true, input_.signals.unhealthy_reason, input_.signals.message);
    } else if (Was("Unhealthy")) {
      Set("Unhealthy", false, "PodGangHealthy", "");
    }
  }

  // A gang that lost all its pods at once is not sound because it waits to be scheduled anew.
  bool WasWhole() const {
    return scheduled_ || Was("Scheduled") ||
           (Was("Unhealthy") &&
            FindCondition(input_.old_status, "Unhealthy")["reason"].AsString() == kBreached);
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
      Set("DisruptionTarget", true,
          backend_says ? input_.signals.disruption_reason : "PodDisruptionTarget",
          input_.signals.message);
    } else if (Was("DisruptionTarget")) {
      Set("DisruptionTarget", false, "NotDisrupted", "");
    }
  }

  std::string_view Phase() const {
    if (counts_.bound == 0) return "Pending";
    return EveryGroup(input_.gang, counts_, &GroupCounts::running) ? "Running" : "Starting";
  }

  void SetScore() {
    const auto score = scheduled_ ? PlacementScore(input_.gang, input_.pods) : std::nullopt;
    if (score) {
      status_.Set("placementScore", *score);
    } else {
      status_.Erase("placementScore");
    }
  }

  const StatusInput& input_;
  Value status_;
  const GangCounts counts_;
  bool scheduled_ = false;
};

bool IsBad(const Value& condition) {
  const std::string_view bad = condition["type"].AsString() == "BackendSynced" ? "False" : "True";
  return condition["status"].AsString() == bad;
}

}  // namespace

bool CountsForStatus(const Value& pod) {
  const Value& annotations = pod["metadata"]["annotations"];
  return !kube::IsDeleting(pod) &&
         annotations["internal.yunikorn.apache.org/placeholder"].AsString() != "true" &&
         annotations["yunikorn.apache.org/placeholder"].AsString() != "true";
}

Value ComputeStatus(const StatusInput& input) { return StatusBuilder(input).Build(); }

bool OnlyGoodNews(const Value& old_status, const Value& status) {
  for (const Value& now : status["conditions"].Items()) {
    const std::string_view type = now["type"].AsString();
    if (now == FindCondition(old_status, type)) continue;
    const bool hoped_for = type == "Scheduled" || type == "Ready";
    if (!hoped_for || now["status"].AsString() != "True") return false;
  }
  return true;
}

std::vector<Transition> BadTransitions(const Value& old_status, const Value& status) {
  std::vector<Transition> transitions;
  for (const std::string_view type : {"BackendSynced", "TranslationDegraded"}) {
    const Value& now = FindCondition(status, type);
    const Value& before = FindCondition(old_status, type);
    if (!IsBad(now)) continue;
    if (IsBad(before) && before["reason"] == now["reason"]) continue;
    transitions.push_back({std::string(type), now["reason"].ToString(), now["message"].ToString()});
  }
  return transitions;
}

std::vector<Transition> AllTransitions(const Value& old_status, const Value& status) {
  std::vector<Transition> transitions;
  for (const Value& now : status["conditions"].Items()) {
    const Value& before = FindCondition(old_status, now["type"].AsString());
    if (before["status"] == now["status"] && before["reason"] == now["reason"]) continue;
    transitions.push_back({now["type"].ToString(),
                           fmt::format("{} {}", now["status"].AsString(), now["reason"].AsString()),
                           now["message"].ToString()});
  }
  return transitions;
}

}  // namespace coppice::backends
