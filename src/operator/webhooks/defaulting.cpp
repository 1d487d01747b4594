#include "operator/webhooks/defaulting.h"

#include <string_view>

namespace coppice::operators::webhooks {
namespace {

constexpr int kGracePeriodSeconds = 30;
constexpr std::string_view kTerminationDelay = "4h0m0s";

// The items of a list; none where something else was submitted, which the schema then refuses.
std::vector<json::Value>* ItemsOf(json::Value& owner, std::string_view list) {
  json::Value* found = owner.FindMutable(list);
  return found == nullptr || !found->IsArray() ? nullptr : &found->MutableItems();
}

bool IsZeroOrAbsent(const json::Value& number) {
  return number.IsNull() || (number.IsInt() && number.AsInt() == 0);
}

bool IsEmptyOrAbsent(const json::Value& text) {
  return text.IsNull() || (text.IsString() && text.AsString().empty());
}

void DefaultContainers(json::Value& pod_spec) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    auto* containers = ItemsOf(pod_spec, list);
    if (containers == nullptr) continue;
    for (json::Value& container : *containers) {
      if (container.IsObject()) container.SetDefault("resources", json::Value::Object());
    }
  }
}

void DefaultPodSpec(json::Value& pod_spec) {
  if (IsEmptyOrAbsent(pod_spec["restartPolicy"])) pod_spec.Set("restartPolicy", "Always");
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
  json::Value* found = clique.FindMutable("spec");
  if (found == nullptr || !found->IsObject()) return;
  json::Value& spec = *found;
  // A clique without a role is taken, as upstream's webhook takes it.
  spec.SetDefault("roleName", "");
  if (json::Value* pod_spec = spec.FindMutable("podSpec"); pod_spec != nullptr) {
    if (pod_spec->IsObject()) DefaultPodSpec(*pod_spec);
  }
  if (IsZeroOrAbsent(spec["replicas"])) spec.Set("replicas", 1);
  if (spec["minAvailable"].IsNull()) spec.Set("minAvailable", spec["replicas"]);
  DefaultMinReplicas(spec, "autoScalingConfig", spec["replicas"]);
}

}  // namespace

void DefaultPodCliqueSet(json::Value& set) {
  json::Value* spec = set.FindMutable("spec");
  json::Value* tmpl = spec == nullptr ? nullptr : spec->FindMutable("template");
  if (tmpl == nullptr || !tmpl->IsObject()) return;
  if (auto* cliques = ItemsOf(*tmpl, "cliques"); cliques != nullptr) {
    for (json::Value& clique : *cliques) DefaultClique(clique);
  }
  if (auto* groups = ItemsOf(*tmpl, "podCliqueScalingGroups"); groups != nullptr) {
    for (json::Value& group : *groups) {
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
