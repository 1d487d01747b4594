#include "cli/wait/wait_for.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/grove/pod_gang.h"
#include "api/labels.h"
#include "api/view/apps.h"
#include "api/view/batch.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "cli/common/list_or_none.h"
#include "cli/common/workload.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::cli {
namespace {

using json::Value;
using Is = WaitState::Is;

WaitState AtLeast(int64_t done, int64_t wanted, std::string_view what) {
  return {done >= wanted ? Is::kMet : Is::kNotYet, fmt::format("{} of {} {}", done, wanted, what)};
}

bool IsPodOf(const Value& pod, const Value& object) {
  const std::string_view kind = kube::Kind(object), name = kube::Name(object);
  if (kind == "Pod") return kube::Uid(pod) == kube::Uid(object);
  if (kind == "PodCliqueSet") return kube::Label(pod, api::labels::kPartOf) == name;
  if (kind == "PodGang") return kube::Label(pod, api::labels::kPodGang) == name;
  if (kind == "PodClique") return kube::Label(pod, api::labels::kPodClique) == name;
  if (kind == "PodGroup") {
    return kube::Annotation(pod, services::names::kPodGroupAnnotation) == name;
  }
  return kube::IsOwnedBy(pod, kube::Uid(object)) ||
         WorkloadOf(pod) == Workload{std::string(kind), std::string(name)};
}

// The pods of an object that have not failed and are not being deleted.
base::Result<std::vector<Value>> LivePods(kube::Client& client, const Value& object) {
  COPPICE_ASSIGN(std::vector<Value> pods, ListOrNone(client, api::kPods, kube::Namespace(object)));
  std::erase_if(pods, [&](const Value& pod) {
    const bool gone = kube::IsDeleting(pod) || view::core::Pod(pod).status().phase() == "Failed";
    return gone || !IsPodOf(pod, object);
  });
  return pods;
}

// The number of pods that an object wants now.
int64_t PodsWanted(const Value& object, const std::vector<Value>& pods) {
  const std::string_view kind = kube::Kind(object);
  if (kind == "Deployment" || kind == "StatefulSet" || kind == "ReplicaSet") {
    return view::apps::Deployment(object).spec().replicas(1);
  }
  if (kind == "PodClique") return view::grove::PodClique(object).spec().replicas(1);
  if (kind == "PodGroup") return view::kai::PodGroup(object).spec().minMember(1);
  if (kind == "Job") {
    const view::batch::Job job(object);
    const int64_t at_once = job.spec().parallelism(1);
    if (!job.spec().has_completions()) return at_once;
    return std::min(at_once, job.spec().completions(1));
  }
  return std::max<int64_t>(static_cast<int64_t>(pods.size()), 1);
}

WaitState CheckJobEnd(const Value& job) {
  if (kube::ConditionIs(job, "Complete", "True")) return {Is::kMet, "it is complete"};
  const view::batch::JobCondition failed(kube::Condition(job, "Failed"));
  if (failed.status() == "True") {
    return {Is::kImpossible, fmt::format("it has failed: {}", failed.message())};
  }
  return {Is::kNotYet,
          fmt::format("{} of {} pods have succeeded", view::batch::Job(job).status().succeeded(),
                      view::batch::Job(job).spec().completions(1))};
}

// The counters of a set count only what its newest spec asks for.
WaitState CheckSet(const Value& object) {
  const view::grove::PodCliqueSet set(object);
  if (set.status().observedGeneration() < kube::Generation(object)) {
    return {Is::kNotYet, "the operator has not seen its newest version"};
  }
  const view::grove::PodCliqueSetUpdateProgress update = set.status().updateProgress();
  if (update && update.updateEndedAt().empty()) {
    return {Is::kNotYet, fmt::format("{} of {} replicas are updated",
                                     set.status().updatedReplicas(), set.spec().replicas(1))};
  }
  return AtLeast(set.status().availableReplicas(), set.spec().replicas(1),
                 "replicas are available");
}

template <typename Function>
WaitState CountDone(const Value& object, const std::vector<Value>& pods, std::string_view what,
                    Function function) {
  const auto done = std::count_if(pods.begin(), pods.end(), function);
  return AtLeast(done, PodsWanted(object, pods), what);
}

bool IsReadyOrDone(const Value& pod) {
  return kube::ConditionIs(pod, "Ready", "True") ||
         view::core::Pod(pod).status().phase() == "Succeeded";
}

bool HasNode(const Value& pod) { return !view::core::Pod(pod).spec().nodeName().empty(); }

}  // namespace

base::Result<WaitGoal> ParseWaitGoal(std::string_view text) {
  if (text.starts_with("condition=")) text.remove_prefix(10);
  std::string word(text);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word == "ready" || word == "available") return WaitGoal::kReady;
  if (word == "scheduled") return WaitGoal::kScheduled;
  if (word == "deleted" || word == "delete") return WaitGoal::kDeleted;
  if (word == "complete") return WaitGoal::kComplete;
  return base::InvalidArgument(
      fmt::format("--for \"{}\" is unknown; use ready, scheduled, complete or deleted", text));
}

base::Result<WaitState> CheckWait(kube::Client& client, const Value& object, WaitGoal what) {
  if (what == WaitGoal::kDeleted) return WaitState{Is::kNotYet, "it is still there"};
  const std::string_view kind = kube::Kind(object);
  if (kind == "Job") {
    WaitState end = CheckJobEnd(object);
    if (what == WaitGoal::kComplete || end.is != Is::kNotYet) return end;
  } else if (what == WaitGoal::kComplete) {
    return base::InvalidArgument("--for complete is for Jobs; use ready, scheduled or deleted");
  }
  if (kind == "PodCliqueSet" && what == WaitGoal::kReady) return CheckSet(object);
  if (kind == "PodGang" && what == WaitGoal::kScheduled) {
    const view::meta::Condition scheduled(kube::Condition(object, api::grove::kGangScheduled));
    if (scheduled.status() == "True") return WaitState{Is::kMet, "it is scheduled"};
  }
  COPPICE_ASSIGN(const std::vector<Value> pods, LivePods(client, object));
  if (what == WaitGoal::kScheduled) return CountDone(object, pods, "pods have a node", HasNode);
  return CountDone(object, pods, "pods are Ready", IsReadyOrDone);
}

}  // namespace coppice::cli
