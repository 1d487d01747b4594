#include "operator/webhooks/defaulting.h"

#include <string_view>

namespace coppice::operators::webhooks {
namespace {

constexpr int kGracePeriodSeconds = 30;
constexpr std::string_view kTerminationDelay = "4h0m0s";

void DefaultContainers(json::Value& pod_spec) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    json::Value* containers = pod_spec.FindMutable(list);
    if (containers == nullptr || !containers->IsArray()) continue;
    for (json::Value& container : containers->MutableItems()) {
      if (container.IsObject()) container.SetDefault("resources", json::Value::Object());
    }
  }
}

void DefaultPodSpec(json::Value& pod_spec) {
  if (pod_spec["restartPolicy"].AsString().empty()) pod_spec.Set("restartPolicy", "Always");
  if (pod_spec["terminationGracePeriodSeconds"].IsNull()) {
    pod_spec.Set("terminationGracePeriodSeconds", kGracePeriodSeconds);
  }
  DefaultContainers(pod_spec);
}

void DefaultMinReplicas(json::Value& owner, std::string_view config, const json::Value& replicas) {
  json::Value* scaling = owner.FindMutable(config);
  if (scaling == nullptr || !scaling->IsObject()) return;
  if ((*scaling)["minReplicas"].IsNull()) scaling->Set("minReplicas", replicas);
}

void DefaultClique(json::Value& clique) {
  json::Value& spec = clique.Mutable("spec");
  if (!spec.IsObject()) return;
  if (json::Value* pod_spec = spec.FindMutable("podSpec"); pod_spec != nullptr) {
    if (pod_spec->IsObject()) DefaultPodSpec(*pod_spec);
  }
  if (spec.Has("replicas") && spec["replicas"].AsInt() == 0) spec.Set("replicas", 1);
  if (spec["minAvailable"].IsNull() && spec.Has("replicas")) {
    spec.Set("minAvailable", spec["replicas"]);
  }
  DefaultMinReplicas(spec, "autoScalingConfig", spec["replicas"]);
}

}  // namespace

void DefaultPodCliqueSet(json::Value& set) {
  json::Value* spec = set.FindMutable("spec");
  json::Value* tmpl = spec == nullptr ? nullptr : spec->FindMutable("template");
  if (tmpl == nullptr || !tmpl->IsObject()) return;
  if (json::Value* cliques = tmpl->FindMutable("cliques"); cliques != nullptr) {
    for (json::Value& clique : cliques->MutableItems()) DefaultClique(clique);
  }
  if (json::Value* groups = tmpl->FindMutable("podCliqueScalingGroups"); groups != nullptr) {
    for (json::Value& group : groups->MutableItems()) {
      DefaultMinReplicas(group, "scaleConfig",
                         group["replicas"].IsNull() ? json::Value(1) : group["replicas"]);
    }
  }
  if ((*tmpl)["terminationDelay"].IsNull()) tmpl->Set("terminationDelay", kTerminationDelay);
  if ((*tmpl)["headlessServiceConfig"].IsNull()) {
    tmpl->Set("headlessServiceConfig", json::Value::Object({{"publishNotReadyAddresses", true}}));
  }
}

}  // namespace coppice::operators::webhooks
