#include "page/facts/pod_facts.h"

#include <fmt/format.h>

#include "api/foreign/names.h"
#include "api/kai/names.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "base/clock.h"
#include "base/quantity.h"
#include "kube/object.h"
#include "page/facts/workload_id.h"
#include "services/common/gpu_sharing.h"

namespace coppice::page {
namespace {

namespace names = api::kai::names;

PodState StateOf(view::core::Pod pod) {
  const std::string_view phase = pod.status().phase();
  if (phase == "Succeeded") return PodState::kDone;
  if (phase == "Failed") return PodState::kFailed;
  if (kube::IsDeleting(pod.Json())) return PodState::kEnding;
  if (pod.spec().nodeName().empty()) {
    return pod.spec().schedulingGates().empty() ? PodState::kPending : PodState::kGated;
  }
  return kube::ConditionIs(pod.Json(), "Ready", "True") ? PodState::kReady : PodState::kStarting;
}

std::string GatesOf(view::core::PodSpec pod) {
  std::string out;
  for (const view::core::PodSchedulingGate gate : pod.schedulingGates()) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", gate.name());
  }
  return out;
}

// The first container that does not start, and why.
void AddContainerReason(view::core::PodStatus status, PodFacts& facts) {
  for (const auto list : {status.initContainerStatuses(), status.containerStatuses()}) {
    for (const view::core::ContainerStatus container : list) {
      const auto waiting = container.state().waiting();
      if (waiting.reason().empty() || waiting.reason() == "ContainerCreating" ||
          waiting.reason() == "PodInitializing") {
        continue;
      }
      facts.reason = waiting.reason();
      facts.message = fmt::format("container {}: {}", container.name(), waiting.message());
      return;
    }
  }
}

void AddReason(view::core::Pod pod, PodFacts& facts) {
  if (facts.state == PodState::kGated) {
    facts.reason = "SchedulingGated";
    facts.message = "scheduling gates: " + GatesOf(pod.spec());
  } else if (facts.state == PodState::kPending) {
    const view::core::PodCondition scheduled(kube::Condition(pod.Json(), "PodScheduled"));
    if (scheduled.status() == "True") return;
    facts.reason = scheduled.reason();
    facts.message = scheduled.message();
  } else if (facts.state == PodState::kStarting) {
    AddContainerReason(pod.status(), facts);
  }
}

void AddShare(const json::Value& pod, PodFacts& facts) {
  const auto number = [&](std::string_view key) {
    const auto parsed = base::Quantity::Parse(kube::Annotation(pod, key));
    return parsed ? parsed->ToDouble() : 0;
  };
  const auto devices = services::FractionDevices(pod);
  if (!devices || !*devices) return;
  facts.shared = static_cast<int>(**devices);
  facts.portion = number(names::kGpuFraction);
  facts.share_mib = number(names::kGpuMemory);
  facts.gpu_groups = services::GpuGroupsOf(pod);
}

std::string_view QueueOf(const json::Value& pod) {
  for (const std::string_view key :
       {names::kQueueLabel, api::foreign::kVolcanoQueueName, api::foreign::kYunikornQueue,
        api::foreign::kKoordinatorQuotaName}) {
    if (const auto label = kube::Label(pod, key); !label.empty()) return label;
    if (const auto annotation = kube::Annotation(pod, key); !annotation.empty()) return annotation;
  }
  return {};
}

}  // namespace

std::string_view ToString(PodState state) {
  static constexpr std::string_view kNames[] = {"gated",  "pending", "starting", "ready",
                                                "ending", "done",    "failed"};
  return kNames[static_cast<size_t>(state)];
}

int64_t SecondsOf(std::string_view time) {
  if (time.empty()) return 0;
  const auto parsed = base::ParseRfc3339(time);
  if (!parsed) return 0;
  return std::chrono::floor<std::chrono::seconds>(*parsed).time_since_epoch().count();
}

PodFacts ReadPodFacts(const json::Value& object) {
  const view::core::Pod pod(object);
  PodFacts facts;
  facts.workload = WorkloadOf(object).ToString();
  facts.node = pod.spec().nodeName();
  facts.group = kube::Annotation(object, names::kPodGroupAnnotation);
  facts.gang = kube::Label(object, api::labels::kPodGang);
  facts.queue = QueueOf(object);
  facts.local_queue = kube::Label(object, api::foreign::kKueueQueueName);
  facts.scheduler = pod.spec().schedulerName("default-scheduler");
  facts.priority = static_cast<int32_t>(pod.spec().priority());
  facts.created = SecondsOf(pod.metadata().creationTimestamp());
  facts.state = StateOf(pod);
  facts.asks = AmountsOf(pod.spec());
  facts.reserves = kube::Label(object, names::kAppLabel) == names::kReservationName;
  AddShare(object, facts);
  AddReason(pod, facts);
  return facts;
}

}  // namespace coppice::page
