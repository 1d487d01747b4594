#include "backends/gangs/pod_reasons.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "api/conditions.h"
#include "api/view/core.h"
#include "backends/framework/pods.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

// What Koordinator and scheduler-plugins write on pods that had a node and gave it up, because
// another pod of the gang found none. Often most of the gang's pods have such a message.
constexpr std::string_view kEchoes[] = {"optimistic rejection in PostFilter", " in Unreserve",
                                        "gets rejected due to member",
                                        "rejected due to timeout after waiting"};

bool IsEcho(const PodReason& said) {
  return std::any_of(std::begin(kEchoes), std::end(kEchoes), [&](std::string_view echo) {
    return said.message.find(echo) != std::string::npos;
  });
}

std::optional<PodReason> ReasonOf(const Value& pod) {
  const view::core::PodCondition scheduled(kube::Condition(pod, api::conditions::kPodScheduled));
  const std::string_view reason = scheduled.reason();
  const bool refused = reason == "Unschedulable" || reason == "SchedulerError";
  if (scheduled.status() != "False" || !refused) return std::nullopt;
  if (IsBound(pod) || kube::IsDeleting(pod)) return std::nullopt;
  return PodReason{std::string(reason), std::string(scheduled.message())};
}

}  // namespace

std::optional<PodReason> MainReason(std::span<const Value> pods) {
  std::map<PodReason, int> counts;
  for (const Value& pod : pods) {
    if (auto said = ReasonOf(pod)) ++counts[*std::move(said)];
  }
  const auto rank = [](const auto& entry) {
    return std::make_pair(!IsEcho(entry.first), entry.second);
  };
  const auto main = std::max_element(
      counts.begin(), counts.end(),
      [&](const auto& left, const auto& right) { return rank(left) < rank(right); });
  return main == counts.end() ? std::nullopt : std::optional(main->first);
}

}  // namespace coppice::backends
