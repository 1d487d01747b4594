#include "backends/framework/gates.h"

#include <fmt/format.h>

#include "api/gates.h"
#include "api/view/core.h"
#include "backends/model/labels.h"
#include "backends/model/translation.h"
#include "json/patch/patch.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

ReleaseDecision Wait(std::string reason) { return {false, std::move(reason), Value()}; }

bool IsReferenced(const Value& gang, const Value& pod) {
  const std::string_view group_name = kube::Label(pod, labels::kPodClique);
  for (const Value& group : gang["spec"]["podgroups"].Items()) {
    if (group["name"].AsString() != group_name) continue;
    for (const Value& reference : group["podReferences"].Items()) {
      if (reference["name"].AsString() == kube::Name(pod)) return true;
    }
  }
  return false;
}

// BackendSynced for the gang's present generation, or blocked from updating, where the old object
// stays in force.
bool IsSynced(const Value& gang) {
  const Value& synced = kube::Condition(gang, "BackendSynced");
  if (synced["status"].AsString() == "True") {
    return synced["observedGeneration"].AsInt() == kube::Generation(gang);
  }
  return synced["reason"].AsString() == reasons::kUpdateBlocked;
}

void AddPins(const Value& pod, const Value& pin, Value& patch) {
  if (pin.empty()) return;
  if (!pod["spec"]["nodeSelector"].IsObject()) {
    patch.Append(Value::Object({{"op", "add"}, {"path", "/spec/nodeSelector"}, {"value", pin}}));
    return;
  }
  for (const json::Member& member : pin.Members()) {
    if (pod["spec"]["nodeSelector"][member.name()] == member.value) continue;
    patch.Append(
        Value::Object({{"op", "add"},
                       {"path", "/spec/nodeSelector/" + json::EscapePointer(member.name())},
                       {"value", member.value}}));
  }
}

void AddTolerations(const Value& pod, const Value& tolerations, Value& patch) {
  if (tolerations.empty()) return;
  Value all = pod["spec"]["tolerations"];
  if (!all.IsArray()) all = Value::Array();
  for (const Value& toleration : tolerations.Items()) all.Append(toleration);
  patch.Append(
      Value::Object({{"op", "add"}, {"path", "/spec/tolerations"}, {"value", std::move(all)}}));
}

std::optional<std::string> Obstacle(const ReleaseInput& input) {
  const Value& gang = input.gang;
  const std::string name(kube::Label(input.pod, labels::kPodGang));
  if (gang.IsNull()) return fmt::format("gang {} does not exist", name);
  if (!IsReferenced(gang, input.pod)) {
    return fmt::format("gang {} does not refer to the pod yet", name);
  }
  if (input.policy->ReleaseNeedsSyncedGang()) {
    if (!kube::ConditionIs(gang, "Initialized", "True")) {
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
  AddPins(input.pod, input.pin, patch);
  AddTolerations(input.pod, input.tolerations, patch);
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
  const auto gates = pod["spec"]["schedulingGates"].Items();
  // From the back, so that the indexes of those in front stay right.
  for (size_t i = gates.size(); i-- > 0;) {
    const std::string_view name = gates[i]["name"].AsString();
    if (name != gate && name != api::gates::kGrovePodGang) continue;
    const std::string path = fmt::format("/spec/schedulingGates/{}", i);
    patch.Append(
        Value::Object({{"op", "test"}, {"path", path + "/name"}, {"value", gates[i]["name"]}}));
    patch.Append(Value::Object({{"op", "remove"}, {"path", path}}));
  }
  return patch.empty() ? Value() : patch;
}

}  // namespace coppice::backends
