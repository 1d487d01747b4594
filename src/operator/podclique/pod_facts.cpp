#include "operator/podclique/pod_facts.h"

#include <algorithm>
#include <charconv>

#include "api/conditions.h"
#include "api/view/core.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::podclique {
namespace {

using view::core::ContainerStatus;
using view::core::Pod;

template <typename Test>
bool AnyOf(view::List<ContainerStatus> list, const Test& test) {
  return std::any_of(list.begin(), list.end(), test);
}

bool EndedInError(ContainerStatus container) {
  return container.lastState().terminated().exitCode() != 0;
}

}  // namespace

bool IsReady(const json::Value& pod) {
  return kube::ConditionIs(pod, api::conditions::kPodReady, "True");
}

bool IsScheduled(const json::Value& pod) {
  return kube::ConditionIs(pod, api::conditions::kPodScheduled, "True") ||
         !Pod(pod).spec().nodeName().empty();
}

bool IsGated(const json::Value& pod) { return !Pod(pod).spec().schedulingGates().empty(); }

bool IsFinished(const json::Value& pod) {
  return Phase(pod) == "Succeeded" || Phase(pod) == "Failed";
}

bool IsActive(const json::Value& pod) { return !kube::IsDeleting(pod) && !IsFinished(pod); }

bool HasFailedBefore(const json::Value& pod) {
  const auto status = Pod(pod).status();
  return AnyOf(status.containerStatuses(), EndedInError) ||
         AnyOf(status.initContainerStatuses(), EndedInError);
}

bool IsStartedButNotReady(const json::Value& pod) {
  return AnyOf(Pod(pod).status().containerStatuses(),
               [](ContainerStatus container) { return container.started() && !container.ready(); });
}

std::string_view Phase(const json::Value& pod) { return Pod(pod).status().phase(); }

std::string_view TemplateHash(const json::Value& pod) {
  return kube::Label(pod, labels::kTemplateHash);
}

std::optional<int> IndexOf(const json::Value& pod) {
  const std::string_view hostname = Pod(pod).spec().hostname();
  const std::string_view text = hostname.substr(hostname.rfind('-') + 1);
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index < 0) return std::nullopt;
  return index;
}

}  // namespace coppice::operators::podclique
