#include "cli/why/why_containers.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/why/why_refusal.h"
#include "kube/object.h"
#include "operator/initc/requirements.h"

namespace coppice::cli {
namespace {

using engine::Explanation;
using engine::Verdict;
using json::Value;

// A container that waits, of some pods.
struct Stuck {
  Value pod;
  Value status;  // The container's.
  bool init = false;
  int64_t pods = 0;  // That are stuck in the same way.
};

bool IsImageReason(std::string_view reason) {
  for (const char* known : {"ErrImagePull", "ImagePullBackOff", "InvalidImageName",
                            "ErrImageNeverPull", "RegistryUnavailable", "ImageInspectError"}) {
    if (reason == known) return true;
  }
  return false;
}

// Waiting of its own accord, not for its turn.
bool IsStuck(const Value& status) {
  const std::string_view reason = status["state"]["waiting"]["reason"].AsString();
  return !reason.empty() && reason != "PodInitializing" && reason != "ContainerCreating";
}

const Value* FirstWhere(const Value& statuses, bool (*where)(const Value&)) {
  for (const Value& status : statuses.Items()) {
    if (where(status)) return &status;
  }
  return nullptr;
}

bool RunsStill(const Value& status) { return status["state"].Has("running"); }

std::optional<Stuck> StuckIn(const Value& pod) {
  const Value& status = pod["status"];
  if (pod["spec"]["nodeName"].AsString().empty() || kube::IsDeleting(pod)) return std::nullopt;
  if (const Value* found = FirstWhere(status["initContainerStatuses"], IsStuck)) {
    return Stuck{pod, *found, true};
  }
  if (const Value* found = FirstWhere(status["containerStatuses"], IsStuck)) {
    return Stuck{pod, *found, false};
  }
  const bool waits =
      status["phase"].AsString() == "Pending" && kube::ConditionIs(pod, "Initialized", "False");
  if (!waits) return std::nullopt;
  const Value* running = FirstWhere(status["initContainerStatuses"], RunsStill);
  return running ? std::optional(Stuck{pod, *running, true}) : std::nullopt;
}

std::string Pods(int64_t count) { return count == 1 ? "1 pod" : fmt::format("{} pods", count); }

// Registries say it in many ways.
bool IsDenied(std::string_view message) {
  for (const char* sign : {"unauthorized", "authorization failed", "access denied",
                           "denied:", "no basic auth", "401", "403"}) {
    if (message.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

Explanation ImageProblem(const Value& object, const Stuck& stuck, std::string_view reason,
                         std::string_view message) {
  const std::string image = stuck.status["image"].ToString();
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
  const std::string_view name = stuck.status["name"].AsString();
  const Value& last = stuck.status["lastState"]["terminated"];
  Explanation out = ExplanationOf(
      object, Verdict::kNeedsAction, "CrashLoopBackOff",
      fmt::format("container `{}` of {} exits with code {} again and again ({} restarts)", name,
                  Pods(stuck.pods), last["exitCode"].AsInt(),
                  stuck.status["restartCount"].AsInt()));
  out.changes.push_back(
      {"fixContainer", std::string(name), 1, "",
       fmt::format("fix container `{0}`; its last words: kubectl logs -n {1} {2} -c {0} -p", name,
                   kube::Namespace(stuck.pod), kube::Name(stuck.pod))});
  return out;
}

// "a: 1 of 2 pods ready" are for the operator's own container.
Explanation InitProblem(const Value& object, const Stuck& stuck) {
  const std::string_view name = stuck.status["name"].AsString();
  Explanation out = ExplanationOf(
      object, Verdict::kWaits, "InitContainer",
      fmt::format("{} on nodes wait for init container `{}` to finish", Pods(stuck.pods), name));
  if (name != operators::initc::kContainerName) return out;
  std::vector<std::string> before;
  for (const Value& container : stuck.pod["spec"]["initContainers"].Items()) {
    if (container["name"].AsString() != name) continue;
    const auto needed = operators::initc::RequirementsOfContainer(container);
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
  const Value& waiting = stuck.status["state"]["waiting"];
  const std::string_view reason = waiting["reason"].AsString();
  if (reason.empty()) return InitProblem(object, stuck);
  Explanation out;
  if (IsImageReason(reason)) {
    out = ImageProblem(object, stuck, reason, waiting["message"].AsString());
  } else if (reason == "CrashLoopBackOff") {
    out = CrashProblem(object, stuck);
  } else {
    out = ExplanationOf(
        object, Verdict::kNeedsAction, std::string(reason),
        fmt::format("container `{}` of {} cannot start: {}", stuck.status["name"].AsString(),
                    Pods(stuck.pods), waiting["message"].AsString(reason)));
    out.changes.push_back(
        {"fixContainer", stuck.status["name"].ToString(), 1, "",
         fmt::format("provide what the container needs: {}", waiting["message"].AsString(reason))});
  }
  out.message = waiting["message"].ToString();
  return out;
}

}  // namespace

std::optional<Explanation> ExplainContainers(const Value& object, const std::vector<Value>& pods) {
  std::optional<Stuck> first;
  for (const Value& pod : pods) {
    std::optional<Stuck> stuck = StuckIn(pod);
    if (!stuck) continue;
    const auto reason = [](const Stuck& each) {
      return each.status["state"]["waiting"]["reason"].ToString();
    };
    // What somebody must mend matters more than what passes.
    const bool worse = first && reason(*first).empty() && !reason(*stuck).empty();
    if (!first || worse) first = stuck;
    if (reason(*first) == reason(*stuck)) ++first->pods;
  }
  if (!first) return std::nullopt;
  return Describe(object, *first);
}

}  // namespace coppice::cli
