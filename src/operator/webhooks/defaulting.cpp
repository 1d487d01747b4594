#include "operator/webhooks/defaulting.h"

#include <string_view>

#include "api/edit/core.h"
#include "api/edit/grove.h"
#include "api/key/core.h"
#include "api/key/grove.h"

namespace coppice::operators::webhooks {
namespace {

using PodKey = key::core::PodSpec;

constexpr int kGracePeriodSeconds = 30;
constexpr std::string_view kTerminationDelay = "4h0m0s";

// The items of a list; null if it is not a list, which the schema then rejects.
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
  for (const std::string_view list : {PodKey::containers, PodKey::initContainers}) {
    auto* containers = ItemsOf(pod_spec, list);
    if (containers == nullptr) continue;
    for (json::Value& container : *containers) {
      if (!container.IsObject()) continue;
      container.SetDefault(key::core::Container::resources, json::Value::Object());
    }
  }
}

void DefaultPodSpec(json::Value& pod_spec) {
  const edit::core::PodSpec edit(pod_spec);
  if (IsEmptyOrAbsent(pod_spec[PodKey::restartPolicy])) edit.set_restartPolicy("Always");
  if (pod_spec[PodKey::terminationGracePeriodSeconds].IsNull()) {
    edit.set_terminationGracePeriodSeconds(kGracePeriodSeconds);
  }
  DefaultContainers(pod_spec);
}

void DefaultMinReplicas(json::Value& owner, std::string_view config, const json::Value& replicas) {
  json::Value* scaling = owner.FindMutable(config);
  if (scaling == nullptr || !scaling->IsObject()) return;
  using Key = key::grove::AutoScalingConfig;
  if ((*scaling)[Key::minReplicas].IsNull()) scaling->Set(Key::minReplicas, replicas);
}

void DefaultClique(json::Value& clique) {
  json::Value* found = clique.FindMutable(key::grove::PodCliqueTemplate::spec);
  if (found == nullptr || !found->IsObject()) return;
  json::Value& spec = *found;
  using Key = key::grove::PodCliqueSpec;
  // A clique without a role is accepted, as in upstream's webhook.
  spec.SetDefault(Key::roleName, "");
  if (json::Value* pod_spec = spec.FindMutable(Key::podSpec); pod_spec != nullptr) {
    if (pod_spec->IsObject()) DefaultPodSpec(*pod_spec);
  }
  if (IsZeroOrAbsent(spec[Key::replicas])) spec.Set(Key::replicas, 1);
  if (spec[Key::minAvailable].IsNull()) spec.Set(Key::minAvailable, spec[Key::replicas]);
  DefaultMinReplicas(spec, Key::autoScalingConfig, spec[Key::replicas]);
}

}  // namespace

void DefaultPodCliqueSet(json::Value& set) {
  json::Value* spec = set.FindMutable(key::grove::PodCliqueSet::spec);
  json::Value* tmpl =
      spec == nullptr ? nullptr : spec->FindMutable(key::grove::PodCliqueSetSpec::template_);
  if (tmpl == nullptr || !tmpl->IsObject()) return;
  using Key = key::grove::PodCliqueSetTemplate;
  using GroupKey = key::grove::ScalingGroupConfig;
  if (auto* cliques = ItemsOf(*tmpl, Key::cliques); cliques != nullptr) {
    for (json::Value& clique : *cliques) DefaultClique(clique);
  }
  if (auto* groups = ItemsOf(*tmpl, Key::podCliqueScalingGroups); groups != nullptr) {
    for (json::Value& group : *groups) {
      const json::Value& replicas = group[GroupKey::replicas];
      DefaultMinReplicas(group, GroupKey::scaleConfig,
                         replicas.IsNull() ? json::Value(1) : json::Value(replicas));
    }
  }
  const edit::grove::PodCliqueSetTemplate edit(*tmpl);
  if ((*tmpl)[Key::terminationDelay].IsNull()) edit.set_terminationDelay(kTerminationDelay);
  if ((*tmpl)[Key::headlessServiceConfig].IsNull()) {
    edit.headlessServiceConfig().set_publishNotReadyAddresses(true);
  }
}

}  // namespace coppice::operators::webhooks
