#include "services/workloads/owned_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "api/well_known.h"
#include "kube/apply.h"
#include "kube/events.h"
#include "kube/index.h"
#include "kube/object.h"

namespace coppice::services::workloads {
namespace {

using json::Value;

bool IsFinished(const Value& pod) {
  const std::string_view phase = pod["status"]["phase"].AsString();
  return phase == "Succeeded" || phase == "Failed";
}

bool Older(const Value& a, const Value& b) {
  const auto key = [](const Value& pod) {
    return std::make_pair(pod["metadata"]["creationTimestamp"].AsString(), kube::Name(pod));
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

OwnedPods::View OwnedPods::Look(const Value& owner) {
  View view;
  kube::Expectations::Uids live, terminating;
  std::vector<Value> pods = kube::OwnedBy(pods_, kube::Uid(owner));
  for (const Value& pod : pods) {
    (kube::IsDeleting(pod) ? terminating : live).insert(std::string(kube::Uid(pod)));
  }
  const auto pending = expectations_.Sync(kube::KeyOf(owner), live, terminating);
  for (Value& pod : pods) {
    if (pending.deletes.contains(std::string(kube::Uid(pod))) || kube::IsDeleting(pod)) {
      ++view.terminating;
    } else {
      (IsFinished(pod) ? view.finished : view.active).push_back(std::move(pod));
    }
  }
  std::sort(view.active.begin(), view.active.end(), Older);
  std::sort(view.finished.begin(), view.finished.end(), Older);
  view.pending_creates = static_cast<int64_t>(pending.creates.size());
  return view;
}

base::Status OwnedPods::Create(const Value& owner, const Value& pod_template,
                               const std::function<void(Value& pod)>& change) {
  Value pod = Value::Object({{"apiVersion", "v1"},
                             {"kind", "Pod"},
                             {"metadata", pod_template["metadata"]},
                             {"spec", pod_template["spec"]}});
  Value& metadata = pod.Mutable("metadata");
  metadata.Erase("creationTimestamp");
  metadata.Set("namespace", kube::Namespace(owner));
  metadata.Set("generateName", std::string(kube::Name(owner)) + "-");
  metadata.Set("ownerReferences", Value::Array({kube::MakeControllerReference(owner)}));
  if (change) change(pod);
  COPPICE_ASSIGN(const Value created, client_.Create(api::kPods, pod));
  expectations_.ExpectCreate(kube::KeyOf(owner), std::string(kube::Uid(created)));
  events_.Event(owner, "Normal", "SuccessfulCreate",
                fmt::format("Created pod: {}", kube::Name(created)), ControllerOf(owner));
  return {};
}

base::Status OwnedPods::Delete(const Value& owner, const Value& pod) {
  COPPICE_TRY(kube::DeleteObject(client_, api::kPods, pod));
  expectations_.ExpectDelete(kube::KeyOf(owner), std::string(kube::Uid(pod)));
  return {};
}

bool IsReady(const Value& pod) { return kube::ConditionIs(pod, "Ready", "True"); }

}  // namespace coppice::services::workloads
