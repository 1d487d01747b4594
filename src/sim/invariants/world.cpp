#include "sim/invariants/world.h"

#include <cstdlib>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/names.h"

namespace coppice::sim {

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

bool HoldsResources(const Value& pod) {
  const std::string_view phase = pod["status"]["phase"].AsString();
  return phase != "Succeeded" && phase != "Failed";
}

bool IsBound(const Value& pod) { return !pod["spec"]["nodeName"].AsString().empty(); }

namespace {

// What a claim serves is no part of what the node's device plugins count.
bool IsServedByClaim(const Value& pod, std::string_view resource) {
  const Value& mappings = pod["status"]["extendedResourceClaimStatus"]["requestMappings"];
  for (const Value& mapping : mappings.Items()) {
    if (mapping["resourceName"].AsString() == resource) return true;
  }
  return false;
}

}  // namespace

void AddRequests(const Value& pod, ResourceMap& used) {
  for (const Value& container : pod["spec"]["containers"].Items()) {
    for (const json::Member& request : container["resources"]["requests"].Members()) {
      if (IsServedByClaim(pod, request.name())) continue;
      used[std::string(request.name())] += ReadQuantity(request.value);
    }
  }
  used["pods"] += Quantity::FromUnits(1);
}

double FractionOf(const Value& pod) {
  const std::string text(kube::Annotation(pod, services::names::kGpuFraction));
  return text.empty() ? 0 : std::strtod(text.c_str(), nullptr);
}

std::string PodName(const Value& pod) { return kube::KeyOf(pod).ToString(); }

}  // namespace coppice::sim
