#include "scenario/invariants/world.h"

#include <cstdlib>

#include "api/view/core.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::scenario {

using base::Quantity;
using json::Value;

base::Result<World> ReadWorld(kube::Client& client, base::Time now) {
  World world{.now = now};
  const std::pair<const api::Resource&, std::vector<Value>&> parts[] = {
      {api::kPods, world.pods},
      {api::kNodes, world.nodes},
      {api::kQueues, world.queues},
      {api::kPodGroups, world.groups},
      {api::kBindRequests, world.bind_requests},
      {api::kResourceClaims, world.claims}};
  for (const auto& [resource, objects] : parts) {
    COPPICE_ASSIGN(kube::ObjectList list, client.List(resource));
    objects = std::move(list.items);
  }
  return world;
}

Quantity ReadQuantity(const Value& value) {
  if (value.IsInt()) return Quantity::FromUnits(value.AsInt());
  return Quantity::Parse(value.AsString()).value_or(Quantity());
}

std::string_view NodeOf(const Value& pod) { return view::core::Pod(pod).spec().nodeName(); }

bool HoldsResources(const Value& pod) {
  const std::string_view phase = view::core::Pod(pod).status().phase();
  return phase != "Succeeded" && phase != "Failed";
}

bool IsBound(const Value& pod) { return !NodeOf(pod).empty(); }

namespace {

// What a claim serves is no part of what the node's device plugins count.
bool IsServedByClaim(view::core::Pod pod, std::string_view resource) {
  for (const auto mapping : pod.status().extendedResourceClaimStatus().requestMappings()) {
    if (mapping.resourceName() == resource) return true;
  }
  return false;
}

}  // namespace

void AddRequests(const Value& object, ResourceMap& used) {
  const view::core::Pod pod(object);
  for (const view::core::Container container : pod.spec().containers()) {
    for (const auto& [name, amount] : container.resources().requests()) {
      if (IsServedByClaim(pod, name)) continue;
      used[std::string(name)] += ReadQuantity(amount);
    }
  }
  used[kPodSlots] += Quantity::FromUnits(1);
}

double FractionOf(const Value& pod) {
  const std::string text(kube::Annotation(pod, services::names::kGpuFraction));
  return text.empty() ? 0 : std::strtod(text.c_str(), nullptr);
}

std::string PodName(const Value& pod) { return kube::KeyOf(pod).ToString(); }

}  // namespace coppice::scenario
