#include <fmt/format.h>

#include "api/schema/errors/field_error.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "backends/model/labels.h"
#include "backends/sync/component.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"
#include "operator/webhooks/checks/checks.h"

namespace coppice::operators::webhooks {
namespace {

std::string PathOf(std::string_view annotation) {
  return fmt::format("metadata.annotations[{}]", annotation);
}

// The scheduler of a pod that the selected backend does not serve; "" if there is none.
std::string StrandedUnder(const std::vector<json::Value>& pods,
                          const backends::Selection& selection) {
  for (const json::Value& pod : pods) {
    const std::string_view name = view::core::Pod(pod).spec().schedulerName();
    if (name == selection.scheduler_name) continue;
    if (backends::Serves(*selection.backend, selection.profile, name)) continue;
    return std::string(name);
  }
  return {};
}

}  // namespace

void CheckSchedulerChange(backends::Backends& backends, kube::Client& client,
                          const json::Value& set, const json::Value& old, Causes& causes) {
  const std::string_view wanted = kube::Annotation(set, backends::labels::kBackend);
  if (wanted == kube::Annotation(old, backends::labels::kBackend)) return;
  const auto selection = backends.Select(set);
  if (!selection) return;  // Already reported.
  const std::string path = PathOf(backends::labels::kBackend);
  const auto pods = client.List(
      api::kPods, {.ns = std::string(kube::Namespace(old)),
                   .label_selector = fmt::format("{}={}", labels::kPartOf, kube::Name(old))});
  if (!pods) {
    causes.push_back(api::InvalidField(
        path, wanted, "the set's pods cannot be looked at: " + pods.error().message()));
    return;
  }
  const std::string present = StrandedUnder(pods->items, *selection);
  if (present.empty()) return;
  causes.push_back(api::InvalidField(
      path, wanted,
      fmt::format(
          "would give the set to scheduler \"{}\", and its pods are with \"{}\", which a pod "
          "cannot change; set spec.replicas to 0 and wait for its pods to go first, or "
          "create another set",
          selection->scheduler_name, present)));
}

}  // namespace coppice::operators::webhooks
