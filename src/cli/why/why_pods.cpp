#include "cli/why/why_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/gates.h"
#include "api/view/core.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "backends/framework/registry.h"
#include "cli/run/operator_config.h"
#include "cli/why/why_refusal.h"
#include "engine/session/messages.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::cli {
namespace {

using engine::Explanation;
using engine::Verdict;
using json::Value;

// A scheduler decides about a pod within seconds.
constexpr base::Duration kIdleAfter = std::chrono::seconds(30);

// Gates that the backends add and remove themselves.
bool IsOwnGate(std::string_view gate) {
  static const std::set<std::string, std::less<>> kGates = [] {
    std::set<std::string, std::less<>> gates = {std::string(api::gates::kGrovePodGang)};
    const auto config = ReadOperatorConfig("");  // The defaults: all built-in backends.
    const auto all = config ? backends::BackendSet::Make(config->backends) : config.error();
    if (all) {
      for (const auto& each : (*all)->instances()) gates.insert(each.backend->SchedulingGate());
    }
    return gates;
  }();
  return kGates.contains(gate);
}

std::string CountPods(int64_t count) {
  return count == 1 ? "1 pod" : fmt::format("{} pods", count);
}

bool IsPlaced(const Value& pod) { return !view::core::Pod(pod).spec().nodeName().empty(); }

// When the pod became schedulable, as far as known.
base::Time ReadySince(const Value& pod) {
  base::Time since =
      base::ParseRfc3339(kube::Metadata(pod).creationTimestamp()).value_or(base::Time{});
  const view::core::PodCondition scheduled(kube::Condition(pod, "PodScheduled"));
  if (scheduled.reason() == "SchedulingGated") return since;
  const auto changed = base::ParseRfc3339(scheduled.lastTransitionTime());
  return changed ? std::max(since, *changed) : since;
}

// Its grace period ended a while ago.
bool HasOverstayed(const Value& pod, base::Time now) {
  const auto until = base::ParseRfc3339(kube::Metadata(pod).deletionTimestamp());
  return until && IsPlaced(pod) && !HasEnded(pod) && now - *until > kIdleAfter;
}

std::string ReservationText(const Value& object) {
  const view::core::Pod pod(object);
  return fmt::format("reservation pod {}/{} on {} is {}", kube::Namespace(object),
                     kube::Name(object), pod.spec().nodeName("no node"),
                     pod.status().phase("Pending"));
}

// The reservation pod of a group's GPU that has not reported its GPU yet.
base::Result<Value> WaitingReservation(kube::Client& client, const Value& request) {
  COPPICE_ASSIGN(const kube::ObjectList pods,
                 client.List(api::kPods, {.ns = std::string(services::names::kReservationName)}));
  for (const std::string_view group : view::kai::BindRequest(request).spec().selectedGPUGroups()) {
    for (const Value& pod : pods.items) {
      const bool known = !kube::Annotation(pod, services::names::kReservedGpu).empty();
      if (kube::Label(pod, services::names::kGpuGroupLabel) == group && !known) return pod;
    }
  }
  return Value();
}

}  // namespace

bool IsGated(const Value& pod) {
  const bool gated = !view::core::Pod(pod).spec().schedulingGates().empty();
  return gated && !IsPlaced(pod) && !kube::IsDeleting(pod);
}

bool HasEnded(const Value& pod) {
  const std::string_view phase = view::core::Pod(pod).status().phase();
  return phase == "Succeeded" || phase == "Failed";
}

std::optional<base::Time> RoomLeftUntil(const std::vector<Value>& pods) {
  for (const Value& pod : pods) {
    const view::core::PodCondition scheduled(kube::Condition(pod, "PodScheduled"));
    if (const auto until = engine::SurplusHeldUntil(scheduled.message()); until) return until;
  }
  return std::nullopt;
}

std::optional<Explanation> ExplainDeletion(kube::Client& client, const Value& object) {
  if (!kube::IsDeleting(object)) return std::nullopt;
  const std::string ns(kube::Namespace(object));
  const auto space = client.Get(api::kNamespaces, {"", ns});
  const bool all = space && kube::IsDeleting(*space);
  std::vector<std::string> finalizers;
  for (const std::string_view each : kube::Metadata(object).finalizers()) {
    finalizers.push_back(fmt::format("`{}`", each));
  }
  Explanation out = ExplanationOf(
      object, Verdict::kNeedsAction, all ? "NamespaceTerminating" : "Terminating",
      fmt::format("{} is being deleted{}", all ? "namespace " + ns : "it",
                  finalizers.empty()
                      ? ""
                      : fmt::format(", and stays until {} is done", fmt::join(finalizers, ", "))));
  out.changes.push_back(
      {"create", std::string(kube::Name(object)), 1, std::string(kube::Kind(object)),
       all ? "create it in another namespace" : "create it again once it is gone"});
  return out;
}

std::optional<Explanation> ExplainGates(const Value& object, const std::vector<Value>& pods) {
  std::map<std::string, std::vector<std::string>> gates;
  int64_t leaving = 0;
  for (const Value& pod : pods) {
    leaving += kube::IsDeleting(pod);
    if (!IsGated(pod)) continue;
    for (const auto gate : view::core::Pod(pod).spec().schedulingGates()) {
      if (IsOwnGate(gate.name())) continue;
      gates[std::string(gate.name())].push_back(kube::KeyOf(pod).name);
    }
  }
  if (!gates.empty()) {
    const auto& [gate, names] = *gates.begin();
    Explanation out = ExplanationOf(
        object, Verdict::kNeedsAction, "SchedulingGated",
        fmt::format("{} the scheduling gate `{}`, which whoever set it takes off",
                    pods.size() == 1 ? "the pod has"
                                     : fmt::format("{} of {} pods have", names.size(), pods.size()),
                    gate));
    for (const auto& [each, held] : gates) {
      out.changes.push_back(
          {"removeGate", each, static_cast<double>(held.size()), "",
           fmt::format("remove scheduling gate `{}` from {}", each,
                       held.size() == 1 ? "pod " + held[0]
                                        : CountPods(static_cast<int64_t>(held.size())))});
    }
    return out;
  }
  if (leaving == 0 || leaving != static_cast<int64_t>(pods.size())) return std::nullopt;
  return ExplanationOf(object, Verdict::kWaits, "Terminating",
                       fmt::format("all of its {} are being deleted", CountPods(leaving)));
}

base::Result<std::optional<Explanation>> ExplainStuckPods(kube::Client& client, const Value& owner,
                                                          const std::vector<Value>& pods,
                                                          base::Time now) {
  const auto stuck = std::find_if(pods.begin(), pods.end(),
                                  [&](const Value& pod) { return HasOverstayed(pod, now); });
  if (stuck == pods.end()) return std::optional<Explanation>();
  const std::string pod(kube::Name(*stuck)), ns(kube::Namespace(*stuck));
  const std::string node(view::core::Pod(*stuck).spec().nodeName());
  const auto found = client.Get(api::kNodes, {"", node});
  const bool down = found && !kube::ConditionIs(*found, "Ready", "True");
  Explanation out = ExplanationOf(
      owner, Verdict::kNeedsAction, down ? "NodeState" : "Terminating",
      fmt::format(
          "pod/{} is stuck in Terminating on {}{}, and no new one is made before it is gone", pod,
          node, down ? ", which is NotReady" : ""));
  const Explanation::Change force = {
      "forceDelete", pod, 1, "Pod",
      fmt::format(
          "force delete it (kubectl delete pod -n {} {} --force), and remove its finalizers", ns,
          pod)};
  if (!down) {
    out.changes.push_back(force);
    return std::optional(std::move(out));
  }
  out.changes.push_back(
      {"nodeReady", node, 1, "Node", fmt::format("bring {} back: it is NotReady", node)});
  out.alternative.push_back(
      {"deleteNode", node, 1, "Node",
       fmt::format("delete {0} if it is gone for good (kubectl delete node {0}), or force delete "
                   "the pod (kubectl delete pod -n {1} {2} --force)",
                   node, ns, pod)});
  return std::optional(std::move(out));
}

std::optional<Explanation> ExplainIdleScheduler(const Value& object, const std::vector<Value>& pods,
                                                base::Time now) {
  std::optional<base::Time> newest;
  std::string scheduler;
  for (const Value& pod : pods) {
    if (IsPlaced(pod) || HasEnded(pod) || kube::IsDeleting(pod) || IsGated(pod)) continue;
    newest = std::max(newest.value_or(base::Time{}), ReadySince(pod));
    scheduler = view::core::Pod(pod).spec().schedulerName("default-scheduler");
  }
  if (!newest || now - *newest < kIdleAfter) return std::nullopt;
  Explanation out = ExplanationOf(
      object, Verdict::kNeedsAction, "SchedulerNotRunning",
      fmt::format("there is room for it, but scheduler `{}` has placed nothing of it for {}",
                  scheduler,
                  base::FormatDuration(std::chrono::floor<std::chrono::seconds>(now - *newest))));
  out.changes.push_back(
      {"start", scheduler, 1, "Scheduler",
       fmt::format("start scheduler `{}`, or see in its log why it does not act", scheduler)});
  return out;
}

base::Result<std::optional<Explanation>> ExplainBinding(kube::Client& client, const Value& object,
                                                        const std::vector<Value>& pods) {
  std::optional<Explanation> nothing;
  for (const Value& pod : pods) {
    if (IsPlaced(pod) || HasEnded(pod)) continue;
    const auto found = client.Get(api::kBindRequests, kube::KeyOf(pod));
    if (!found) continue;
    const view::kai::BindRequest request(*found);
    const std::string_view node = request.spec().selectedNode();
    const std::string error(request.status().reason());
    COPPICE_ASSIGN(const Value reservation, WaitingReservation(client, *found));
    if (!reservation.IsNull()) {
      Explanation out =
          ExplanationOf(object, Verdict::kWaits, "WaitingForReservation",
                        fmt::format("pod {} goes to {} once its share of a GPU is reserved; {}",
                                    kube::Name(pod), node, ReservationText(reservation)));
      out.message = error;
      out.changes.push_back(
          {"start", std::string(kube::Name(reservation)), 1, "Pod",
           fmt::format("see why reservation pod {}/{} does not run, or delete it to have it made "
                       "anew",
                       kube::Namespace(reservation), kube::Name(reservation))});
      return std::optional(std::move(out));
    }
    if (error.empty()) {
      return std::optional(
          ExplanationOf(object, Verdict::kWaits, "Binding",
                        fmt::format("pod {} is being bound to {}", kube::Name(pod), node)));
    }
    Explanation out = ExplanationOf(
        object, Verdict::kWaits, "BindingError",
        fmt::format("pod {} could not be bound to {}: {}", kube::Name(pod), node, error));
    return std::optional(std::move(out));
  }
  return nothing;
}

Explanation ExplainRunning(const Value& object, const std::vector<Value>& pods) {
  int64_t running = 0, ready = 0, succeeded = 0, failed = 0, leaving = 0;
  std::string words;
  for (const Value& pod : pods) {
    const view::core::PodStatus status = view::core::Pod(pod).status();
    const std::string_view phase = status.phase();
    if (kube::IsDeleting(pod) && !HasEnded(pod)) {
      ++leaving;
      continue;
    }
    running += phase == "Running";
    ready += kube::ConditionIs(pod, "Ready", "True");
    succeeded += phase == "Succeeded";
    failed += phase == "Failed";
    if (phase != "Failed") continue;
    const auto ended = status.containerStatuses().At(0).state().terminated();
    words = fmt::format("pod {} failed: {}", kube::Name(pod),
                        status.message(fmt::format("exit code {}", ended.exitCode())));
  }
  if (failed > 0 && running == 0) {
    Explanation out = ExplanationOf(object, Verdict::kNeedsAction, "Failed", words);
    out.changes.push_back({"fixContainer", std::string(kube::Name(object)), 1, "",
                           "fix what made it fail, and create it again"});
    return out;
  }
  if (running == 0 && succeeded > 0) {
    return ExplanationOf(object, Verdict::kRuns, "Completed", CountPods(succeeded) + " succeeded");
  }
  std::string text = fmt::format("{} {}", CountPods(running), running == 1 ? "runs" : "run");
  if (ready < running) text += fmt::format(", {} not Ready", running - ready);
  if (leaving > 0) text += fmt::format(", {} more being deleted", leaving);
  const auto placed = std::count_if(pods.begin(), pods.end(), IsPlaced);
  if (running == 0 && placed > 0) {
    return ExplanationOf(object, Verdict::kWaits, "Starting",
                         fmt::format("{} placed and starting", CountPods(placed)));
  }
  return ExplanationOf(object, Verdict::kRuns, "Scheduled", text);
}

}  // namespace coppice::cli
