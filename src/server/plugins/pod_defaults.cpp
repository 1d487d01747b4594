#include <fmt/format.h>

#include <algorithm>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/model/errors.h"
#include "server/plugins/plugins.h"

namespace coppice::server {
namespace {

constexpr std::string_view kPriorityClasses = "scheduling.k8s.io/priorityclasses";
constexpr int64_t kOutageSeconds = 300;

store::VersionPtr GlobalDefault(const store::Store& store) {
  const auto classes = store.List(kPriorityClasses, {});
  store::VersionPtr best;
  if (!classes) return best;
  for (const store::VersionPtr& each : classes->items) {
    if (!each->value()["globalDefault"].AsBool()) continue;
    if (!best || each->value()["value"].AsInt() < best->value()["value"].AsInt()) best = each;
  }
  return best;
}

struct Priority {
  std::string class_name;  // "": no class, and none is the default.
  int64_t value = 0;
  std::string preemption_policy = "PreemptLowerPriority";
};

// Of the class that `spec` names, else of the default class.
base::Result<Priority> FindPriority(const store::Store& store, const AdmissionRequest& request,
                                    const json::Value& spec) {
  const std::string name = spec["priorityClassName"].ToString();
  const store::VersionPtr found =
      name.empty() ? GlobalDefault(store) : store.Get(kPriorityClasses, name);
  if (!found && name.empty()) return Priority{};
  if (!found) {
    return Forbidden(request.resource, request.key.name,
                     fmt::format("no PriorityClass with name {} was found", name));
  }
  return Priority{found->name(), found->value()["value"].AsInt(),
                  found->value()["preemptionPolicy"].ToString("PreemptLowerPriority")};
}

void SetClass(const Priority& priority, json::Value& spec) {
  spec.Set("priority", priority.value);
  if (!priority.class_name.empty()) spec.Set("priorityClassName", priority.class_name);
}

base::Status SetPodPriority(const store::Store& store, const AdmissionRequest& request,
                            json::Value& pod) {
  json::Value& spec = pod.Mutable("spec");
  COPPICE_ASSIGN(const Priority priority, FindPriority(store, request, spec));
  if (spec.Has("priority") && spec["priority"].AsInt() != priority.value) {
    return Forbidden(request.resource, request.key.name,
                     fmt::format("the integer value of priority ({}) must not be provided in pod "
                                 "spec; priority admission controller computed {} from the given "
                                 "PriorityClass name",
                                 spec["priority"].AsInt(), priority.value));
  }
  const std::string policy = spec["preemptionPolicy"].ToString(priority.preemption_policy);
  if (policy != priority.preemption_policy) {
    return Forbidden(request.resource, request.key.name,
                     fmt::format("the string value of PreemptionPolicy ({}) must not be provided "
                                 "in pod spec; priority admission controller computed {} from the "
                                 "given PriorityClass name",
                                 policy, priority.preemption_policy));
  }
  SetClass(priority, spec);
  spec.Set("preemptionPolicy", policy);
  return {};
}

base::Status SetGroupPriority(const store::Store& store, const AdmissionRequest& request,
                              json::Value& group) {
  json::Value& spec = group.Mutable("spec");
  COPPICE_ASSIGN(const Priority priority, FindPriority(store, request, spec));
  if (spec.Has("priority") && spec["priority"].AsInt() != priority.value) {
    return Forbidden(request.resource, request.key.name,
                     fmt::format("priority set in the pod group ({}) must match the priority "
                                 "computed ({}) based on the priority class set in the spec",
                                 spec["priority"].AsInt(), priority.value));
  }
  SetClass(priority, spec);
  return {};
}

base::Status SetRuntimeClass(const store::Store& store, json::Value& pod) {
  json::Value& spec = pod.Mutable("spec");
  const std::string name = spec["runtimeClassName"].ToString();
  if (name.empty()) {
    if (spec["overhead"].empty()) return {};
    return Forbidden(api::kPods, kube::Name(pod),
                     "pod rejected: Pod Overhead set without corresponding RuntimeClass defined "
                     "Overhead");
  }
  const store::VersionPtr found = store.Get("node.k8s.io/runtimeclasses", name);
  if (!found) {
    return Forbidden(api::kPods, kube::Name(pod),
                     fmt::format("pod rejected: RuntimeClass \"{}\" not found", name));
  }
  const json::Value& overhead = found->value()["overhead"]["podFixed"];
  if (overhead.IsObject()) spec.Set("overhead", overhead);
  for (const json::Member& label : found->value()["scheduling"]["nodeSelector"].Members()) {
    spec.Mutable("nodeSelector").Set(label.name(), label.value);
  }
  for (const json::Value& toleration : found->value()["scheduling"]["tolerations"].Items()) {
    const auto own = spec["tolerations"].Items();
    const bool known = std::find(own.begin(), own.end(), toleration) != own.end();
    if (!known) spec.Mutable("tolerations").Append(toleration);
  }
  return {};
}

bool Tolerates(const json::Value& spec, std::string_view key) {
  for (const json::Value& toleration : spec["tolerations"].Items()) {
    const std::string_view own = toleration["key"].AsString();
    const std::string_view effect = toleration["effect"].AsString();
    if ((own.empty() || own == key) && (effect.empty() || effect == "NoExecute")) return true;
  }
  return false;
}

void AddOutageTolerations(json::Value& pod) {
  json::Value& spec = pod.Mutable("spec");
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    if (Tolerates(spec, key)) continue;
    spec.Mutable("tolerations")
        .Append(json::Value::Object({{"key", key},
                                     {"operator", "Exists"},
                                     {"effect", "NoExecute"},
                                     {"tolerationSeconds", kOutageSeconds}}));
  }
}

bool IsGroup(const api::Resource& resource) {
  return resource.group == "scheduling.k8s.io" &&
         (resource.plural == "podgroups" || resource.plural == "compositepodgroups");
}

class PodDefaultsPlugin final : public AdmissionPlugin {
 public:
  explicit PodDefaultsPlugin(Core& core) : store_(core.store()) {}

  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override {
    if (!request.subresource.empty()) return false;
    if (request.resource == api::kPods) return request.operation != Operation::kDelete;
    return request.operation == Operation::kCreate && IsGroup(request.resource);
  }
  base::Status Mutate(const AdmissionRequest& request, json::Value& pod) override {
    if (IsGroup(request.resource)) return SetGroupPriority(store_, request, pod);
    AddOutageTolerations(pod);
    if (request.operation == Operation::kUpdate) return {};
    COPPICE_TRY(SetPodPriority(store_, request, pod));
    return SetRuntimeClass(store_, pod);
  }

 private:
  const std::string name_ = "PodDefaults";
  const store::Store& store_;
};

}  // namespace

std::shared_ptr<AdmissionPlugin> PodDefaults(Core& core) {
  return std::make_shared<PodDefaultsPlugin>(core);
}

}  // namespace coppice::server
