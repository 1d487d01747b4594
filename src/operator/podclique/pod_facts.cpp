#include "operator/podclique/pod_facts.h"

#include <algorithm>
#include <charconv>

#include "kube/object.h"
#include "operator/runtime/conditions.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::podclique {
namespace {

template <typename Test>
bool AnyOf(const json::Value& list, const Test& test) {
  const auto items = list.Items();
  return std::any_of(items.begin(), items.end(), test);
}

bool EndedInError(const json::Value& container) {
  return container["lastState"]["terminated"]["exitCode"].AsInt() != 0;
}

}  // namespace

bool IsReady(const json::Value& pod) { return kube::ConditionIs(pod, "Ready", "True"); }

bool IsScheduled(const json::Value& pod) {
  return kube::ConditionIs(pod, "PodScheduled", "True") ||
         !pod["spec"]["nodeName"].AsString().empty();
}

bool IsGated(const json::Value& pod) { return !pod["spec"]["schedulingGates"].empty(); }

bool IsFinished(const json::Value& pod) {
  return Phase(pod) == "Succeeded" || Phase(pod) == "Failed";
}

bool IsActive(const json::Value& pod) { return !kube::IsDeleting(pod) && !IsFinished(pod); }

bool HasFailedBefore(const json::Value& pod) {
  return AnyOf(pod["status"]["containerStatuses"], EndedInError) ||
         AnyOf(pod["status"]["initContainerStatuses"], EndedInError);
}

bool IsStartedButNotReady(const json::Value& pod) {
  return AnyOf(pod["status"]["containerStatuses"], [](const json::Value& container) {
    return container["started"].AsBool() && !container["ready"].AsBool();
  });
}

std::string_view Phase(const json::Value& pod) { return pod["status"]["phase"].AsString(); }

std::string_view TemplateHash(const json::Value& pod) {
  return kube::Label(pod, labels::kTemplateHash);
}

base::Time CreatedAt(const json::Value& pod) {
  return ReadTime(pod["metadata"]["creationTimestamp"].AsString());
}

std::optional<int> IndexOf(const json::Value& pod) {
  const std::string_view hostname = pod["spec"]["hostname"].AsString();
  const std::string_view text = hostname.substr(hostname.rfind('-') + 1);
  int index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index < 0) return std::nullopt;
  return index;
}

}  // namespace coppice::operators::podclique
