#include "services/workloads/owned_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/cache/index.h"
#include "kube/events/events.h"
#include "kube/object.h"

namespace coppice::services::workloads {
namespace {

using json::Value;

bool IsFinished(const Value& pod) {
  const std::string_view phase = view::core::Pod(pod).status().phase();
  return phase == "Succeeded" || phase == "Failed";
}

bool Older(const Value& a, const Value& b) {
  const auto key = [](const Value& pod) {
    const view::meta::ObjectMeta metadata = view::core::Pod(pod).metadata();
    return std::make_pair(metadata.creationTimestamp(), metadata.name());
  };
  return key(a) < key(b);
}

// "job-controller", as Kubernetes' own call themselves.
std::string ControllerOf(const Value& owner) {
  std::string name(kube::Kind(owner));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name + "-controller";
}

}  // namespace

OwnedPods::OwnedPods(kube::Runtime runtime)
    : client_(runtime.client),
      events_(runtime.events),
      pods_(runtime.cache.InformerFor(api::kPods)) {
  kube::AddOwnerIndex(pods_);
}

OwnedPods::Snapshot OwnedPods::Look(const Value& owner) {
  Snapshot out;
  for (Value& pod : kube::OwnedBy(pods_, kube::Uid(owner))) {
    if (kube::IsDeleting(pod)) {
      ++out.terminating;
    } else {
      (IsFinished(pod) ? out.finished : out.active).push_back(std::move(pod));
    }
  }
  std::sort(out.active.begin(), out.active.end(), Older);
  std::sort(out.finished.begin(), out.finished.end(), Older);
  return out;
}

base::Status OwnedPods::Create(const Value& owner, view::core::PodTemplateSpec pod_template,
                               const std::function<void(edit::core::Pod pod)>& change) {
  Value pod = Value::Object();
  const edit::core::Pod edit(pod);
  edit.set_apiVersion("v1").set_kind("Pod");
  edit.set_metadata(pod_template.metadata().Json()).set_spec(pod_template.spec().Json());
  const edit::meta::ObjectMeta metadata = edit.metadata();
  metadata.clear_creationTimestamp();
  metadata.set_namespace_(kube::Namespace(owner))
      .set_generateName(fmt::format("{}-", kube::Name(owner)))
      .set_ownerReferences(Value::Array({kube::MakeControllerReference(owner)}));
  if (change) change(edit);
  const auto made = client_.Create(api::kPods, pod);
  if (!made) {
    events_.Event(owner, "Warning", "FailedCreate",
                  fmt::format("Error creating: {}", made.error().message()), ControllerOf(owner));
    return made.error();
  }
  const Value& created = *made;
  events_.Event(owner, "Normal", "SuccessfulCreate",
                fmt::format("Created pod: {}", kube::Name(created)), ControllerOf(owner));
  return {};
}

base::Status OwnedPods::Delete(const Value& pod) {
  return kube::DeleteObject(client_, api::kPods, pod);
}

bool IsReady(const Value& pod) { return kube::ConditionIs(pod, "Ready", "True"); }

}  // namespace coppice::services::workloads
