#include "backends/framework/gates.h"

#include <fmt/format.h>

#include "api/gates.h"
#include "api/grove/pod_gang.h"
#include "api/key/core.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "backends/model/labels.h"
#include "backends/model/translation.h"
#include "json/patch/patch.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

ReleaseDecision Wait(std::string reason) { return {false, std::move(reason), Value()}; }

bool IsReferenced(view::grove::PodGang gang, const Value& pod) {
  const std::string_view group_name = kube::Label(pod, labels::kPodClique);
  for (const view::grove::PodGroup group : gang.spec().podgroups()) {
    if (group.name() != group_name) continue;
    for (const view::grove::NamespacedName reference : group.podReferences()) {
      if (reference.name() == kube::Name(pod)) return true;
    }
  }
  return false;
}

// BackendSynced for the gang's current generation, or UpdateBlocked, in which case the old object
// stays in force.
bool IsSynced(const Value& gang) {
  const view::grove::Condition synced(kube::Condition(gang, api::grove::kGangBackendSynced));
  if (synced.status() == "True") return synced.observedGeneration() == kube::Generation(gang);
  return synced.reason() == reasons::kUpdateBlocked;
}

void AddPins(view::core::PodSpec spec, const Value& pin, Value& patch) {
  if (pin.empty()) return;
  const Value& selector = spec.nodeSelector().Json();
  const std::string path =
      fmt::format("/{}/{}", key::core::Pod::spec, key::core::PodSpec::nodeSelector);
  if (!selector.IsObject()) {
    patch.Append(json::AddOperation(path, pin));
    return;
  }
  for (const json::Member& member : pin.Members()) {
    if (selector[member.name()] == member.value) continue;
    patch.Append(json::AddOperation(path + "/" + json::EscapePointer(member.name()), member.value));
  }
}

void AddTolerations(view::core::PodSpec spec, const Value& tolerations, Value& patch) {
  if (tolerations.empty()) return;
  Value all = spec.tolerations().Json();
  if (!all.IsArray()) all = Value::Array();
  for (const Value& toleration : tolerations.Items()) all.Append(toleration);
  patch.Append(json::AddOperation(
      fmt::format("/{}/{}", key::core::Pod::spec, key::core::PodSpec::tolerations),
      std::move(all)));
}

std::optional<std::string> Obstacle(const ReleaseInput& input) {
  const Value& gang = input.gang;
  const std::string name(kube::Label(input.pod, labels::kPodGang));
  if (gang.IsNull()) return fmt::format("gang {} does not exist", name);
  if (!IsReferenced(view::grove::PodGang(gang), input.pod)) {
    return fmt::format("gang {} does not refer to the pod yet", name);
  }
  if (input.policy->ReleaseNeedsSyncedGang()) {
    if (!kube::ConditionIs(gang, api::grove::kGangInitialized, "True")) {
      return fmt::format("gang {} is not initialized", name);
    }
    if (!IsSynced(gang)) return fmt::format("gang {} is not synced to its scheduler", name);
  }
  if (input.base_gang && !input.base_gang_scheduled) {
    return fmt::format("base gang {} is not scheduled", kube::Name(*input.base_gang));
  }
  if (input.surplus && !input.gang_scheduled) {
    return fmt::format("surplus pod waits for gang {} to be scheduled", name);
  }
  if (!input.held_by.empty()) return input.held_by;
  return std::nullopt;
}

}  // namespace

ReleaseDecision DecideRelease(const ReleaseInput& input) {
  if (auto obstacle = Obstacle(input)) return Wait(*std::move(obstacle));
  ReleaseDecision decision{true, {}, GateRemovalPatch(input.pod, input.gate)};
  if (decision.patch.IsNull()) {
    decision.patch = Value::Array();
    return decision;
  }
  Value patch = Value::Array();
  const view::core::PodSpec spec = view::core::Pod(input.pod).spec();
  AddPins(spec, input.pin, patch);
  AddTolerations(spec, input.tolerations, patch);
  for (const Value& operation : decision.patch.Items()) patch.Append(operation);
  decision.patch = std::move(patch);
  return decision;
}

bool HasGate(const json::Value& pod, std::string_view gate) {
  for (const auto present : view::core::Pod(pod).spec().schedulingGates()) {
    if (present.name() == gate) return true;
  }
  return false;
}

Value GateRemovalPatch(const Value& pod, std::string_view gate) {
  Value patch = Value::Array();
  const auto gates = view::core::Pod(pod).spec().schedulingGates();
  // Backwards, so that the remaining indices stay valid.
  for (size_t i = gates.size(); i-- > 0;) {
    const std::string_view name = gates.At(i).name();
    if (name != gate && name != api::gates::kGrovePodGang) continue;
    const std::string path =
        fmt::format("/{}/{}/{}", key::core::Pod::spec, key::core::PodSpec::schedulingGates, i);
    patch.Append(
        json::TestOperation(fmt::format("{}/{}", path, key::core::PodSchedulingGate::name), name));
    patch.Append(json::RemoveOperation(path));
  }
  return patch.empty() ? Value() : patch;
}

}  // namespace coppice::backends
