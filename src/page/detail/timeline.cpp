#include "page/detail/timeline.h"

#include <algorithm>
#include <functional>

#include "api/view/core.h"
#include "kube/object.h"
#include "page/facts/pod_facts.h"

namespace coppice::page {
namespace {

int64_t WhenTrue(const json::Value& pod, std::string_view condition) {
  const view::core::PodCondition found(kube::Condition(pod, condition));
  return found.status() == "True" ? SecondsOf(found.lastTransitionTime()) : 0;
}

int64_t WhenRunning(const json::Value& pod) {
  int64_t latest = 0;
  for (const auto container : view::core::Pod(pod).status().containerStatuses()) {
    latest = std::max(latest, SecondsOf(container.state().running().startedAt()));
  }
  return latest;
}

int64_t WhenReady(const json::Value& pod) { return WhenTrue(pod, "Ready"); }
int64_t WhenScheduled(const json::Value& pod) { return WhenTrue(pod, "PodScheduled"); }
int64_t WhenCreated(const json::Value& pod) {
  return SecondsOf(kube::Metadata(pod).creationTimestamp());
}

TimelineStep StepOf(std::string text, const std::vector<json::Value>& pods,
                    int64_t (*when)(const json::Value& pod)) {
  TimelineStep step{std::move(text), 0, 0, 0, static_cast<int64_t>(pods.size())};
  for (const json::Value& pod : pods) {
    const int64_t at = when(pod);
    if (at == 0) continue;
    ++step.count;
    step.first = step.first == 0 ? at : std::min(step.first, at);
    step.last = std::max(step.last, at);
  }
  return step;
}

}  // namespace

std::vector<TimelineStep> TimelineOf(const json::Value& object,
                                     const std::vector<json::Value>& pods) {
  std::vector<TimelineStep> steps;
  if (object.IsObject()) {
    const int64_t created = WhenCreated(object);
    steps.push_back({"created", created, created, 1, 1});
  }
  if (pods.empty()) return steps;
  steps.push_back(StepOf("pods created", pods, WhenCreated));
  steps.push_back(StepOf("placed on a node", pods, WhenScheduled));
  steps.push_back(StepOf("containers running", pods, WhenRunning));
  steps.push_back(StepOf("ready", pods, WhenReady));
  return steps;
}

}  // namespace coppice::page
