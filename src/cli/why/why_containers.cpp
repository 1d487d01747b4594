#include "cli/why/why_containers.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/view/core.h"
#include "cli/why/why_refusal.h"
#include "kube/object.h"
#include "operator/initc/requirements.h"

namespace coppice::cli {
namespace {

using engine::Explanation;
using engine::Verdict;
using json::Value;
using view::core::ContainerStatus;

// A waiting container, of some pods.
struct Stuck {
  view::core::Pod pod;
  ContainerStatus status;
  int64_t pods = 0;  // Pods stuck in the same way.
};

bool IsImageReason(std::string_view reason) {
  for (const char* known : {"ErrImagePull", "ImagePullBackOff", "InvalidImageName",
                            "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError"}) {
    if (reason == known) return true;
  }
  return false;
}

// Waiting because of a problem, not for its turn.
bool IsStuck(ContainerStatus status) {
  const std::string_view reason = status.state().waiting().reason();
  return !reason.empty() && reason != "PodInitializing" && reason != "ContainerCreating";
}

std::optional<ContainerStatus> FirstWhere(view::List<ContainerStatus> statuses,
                                          bool (*where)(ContainerStatus)) {
  for (const ContainerStatus status : statuses) {
    if (where(status)) return status;
  }
  return std::nullopt;
}

bool RunsStill(ContainerStatus status) { return status.state().has_running(); }

std::optional<Stuck> StuckIn(view::core::Pod pod) {
  const view::core::PodStatus status = pod.status();
  if (pod.spec().nodeName().empty() || kube::IsDeleting(pod.Json())) return std::nullopt;
  if (const auto found = FirstWhere(status.initContainerStatuses(), IsStuck)) {
    return Stuck{pod, *found};
  }
  if (const auto found = FirstWhere(status.containerStatuses(), IsStuck)) {
    return Stuck{pod, *found};
  }
  const bool waits =
      status.phase() == "Pending" && kube::ConditionIs(pod.Json(), "Initialized", "False");
  if (!waits) return std::nullopt;
  const auto running = FirstWhere(status.initContainerStatuses(), RunsStill);
  return running ? std::optional(Stuck{pod, *running}) : std::nullopt;
}

std::string Pods(int64_t count) { return count == 1 ? "1 pod" : fmt::format("{} pods", count); }

// Registries report it in many ways.
bool IsDenied(std::string_view message) {
  for (const char* sign : {"unauthorized", "authorization failed", "access denied",
                           "denied:", "no basic auth", "401", "403"}) {
    if (message.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

Explanation ImageProblem(const Value& object, const Stuck& stuck, std::string_view reason,
                         std::string_view message) {
  const std::string image(stuck.status.image());
  Explanation out = ExplanationOf(
      object, Verdict::kNeedsAction, std::string(reason),
      fmt::format("{} cannot start: image `{}` cannot be pulled", Pods(stuck.pods), image));
  const std::string text =
      IsDenied(message)
          ? fmt::format("give the pods or their service account an imagePullSecret for `{}`", image)
          : fmt::format("use an image that exists instead of `{}`", image);
  out.changes.push_back({"fixImage", image, 1, "", text});
  return out;
}

Explanation CrashProblem(const Value& object, const Stuck& stuck) {
  const std::string_view name = stuck.status.name();
  const view::core::ContainerStateTerminated last = stuck.status.lastState().terminated();
  Explanation out = ExplanationOf(
      object, Verdict::kNeedsAction, "CrashLoopBackOff",
      fmt::format("container `{}` of {} exits with code {} again and again ({} restarts)", name,
                  Pods(stuck.pods), last.exitCode(), stuck.status.restartCount()));
  out.changes.push_back(
      {"fixContainer", std::string(name), 1, "",
       fmt::format("fix container `{0}`; its last words: kubectl logs -n {1} {2} -c {0} -p", name,
                   kube::Namespace(stuck.pod.Json()), kube::Name(stuck.pod.Json()))});
  return out;
}

// "a: 1 of 2 pods ready", for the operator's own init container.
Explanation InitProblem(const Value& object, const Stuck& stuck) {
  const std::string_view name = stuck.status.name();
  Explanation out = ExplanationOf(
      object, Verdict::kWaits, "InitContainer",
      fmt::format("{} on nodes wait for init container `{}` to finish", Pods(stuck.pods), name));
  if (name != operators::initc::kContainerName) return out;
  std::vector<std::string> before;
  for (const view::core::Container container : stuck.pod.spec().initContainers()) {
    if (container.name() != name) continue;
    const auto needed = operators::initc::RequirementsOfContainer(container.Json());
    if (!needed) continue;
    for (const auto& [clique, count] : *needed) {
      before.push_back(fmt::format("{} of PodClique {}", Pods(count), clique));
    }
  }
  out.reason = "StartupOrder";
  out.summary = fmt::format("{} start only after {} {} Ready", Pods(stuck.pods),
                            fmt::join(before, " and "), before.size() == 1 ? "is" : "are");
  return out;
}

Explanation Describe(const Value& object, const Stuck& stuck) {
  const view::core::ContainerStateWaiting waiting = stuck.status.state().waiting();
  const std::string_view reason = waiting.reason();
  if (reason.empty()) return InitProblem(object, stuck);
  Explanation out;
  if (IsImageReason(reason)) {
    out = ImageProblem(object, stuck, reason, waiting.message());
  } else if (reason == "CrashLoopBackOff") {
    out = CrashProblem(object, stuck);
  } else {
    out = ExplanationOf(object, Verdict::kNeedsAction, std::string(reason),
                        fmt::format("container `{}` of {} cannot start: {}", stuck.status.name(),
                                    Pods(stuck.pods), waiting.message(reason)));
    out.changes.push_back(
        {"fixContainer", std::string(stuck.status.name()), 1, "",
         fmt::format("provide what the container needs: {}", waiting.message(reason))});
  }
  out.message = waiting.message();
  return out;
}

}  // namespace

std::optional<Explanation> ExplainContainers(const Value& object, const std::vector<Value>& pods) {
  std::optional<Stuck> first;
  for (const Value& pod : pods) {
    const std::optional<Stuck> stuck = StuckIn(view::core::Pod(pod));
    if (!stuck) continue;
    const auto reason = [](const Stuck& each) { return each.status.state().waiting().reason(); };
    // What needs a fix matters more than what resolves by itself.
    const bool worse = first && reason(*first).empty() && !reason(*stuck).empty();
    if (!first || worse) first = stuck;
    if (reason(*first) == reason(*stuck)) ++first->pods;
  }
  if (!first) return std::nullopt;
  return Describe(object, *first);
}

}  // namespace coppice::cli
