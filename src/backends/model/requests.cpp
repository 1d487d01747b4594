#include "backends/model/requests.h"

#include "api/view/core.h"

namespace coppice::backends {
namespace {

using base::Quantity;
using json::Value;

void Accumulate(view::Quantities amounts, ResourceList& out) {
  for (const auto& [name, value] : amounts) {
    const std::string text = value.IsInt() ? std::to_string(value.AsInt()) : value.ToString();
    const auto amount = Quantity::Parse(text);
    if (!amount) continue;
    const auto [entry, added] = out.emplace(std::string(name), *amount);
    if (!added) entry->second += *amount;
  }
}

// Of a container or a whole pod; a resource that only has a limit is requested at that limit.
ResourceList RequestsIn(view::core::ResourceRequirements resources) {
  ResourceList requests, limits;
  Accumulate(resources.requests(), requests);
  Accumulate(resources.limits(), limits);
  requests.merge(limits);
  return requests;
}

void Add(const ResourceList& from, ResourceList& to) {
  for (const auto& [name, amount] : from) {
    const auto [entry, added] = to.emplace(name, amount);
    if (!added) entry->second += amount;
  }
}

void RaiseTo(const ResourceList& floor, ResourceList& list) {
  for (const auto& [name, amount] : floor) {
    const auto [entry, added] = list.emplace(name, amount);
    if (!added && entry->second < amount) entry->second = amount;
  }
}

void AddTimes(const ResourceList& one, int64_t count, ResourceList& total) {
  ResourceList power = one;
  for (; count > 0; count /= 2) {
    if (count % 2 == 1) Add(power, total);
    const ResourceList same = power;
    Add(same, power);
  }
}

}  // namespace

ResourceList EffectiveRequests(const Value& pod_spec) {
  const view::core::PodSpec spec(pod_spec);
  ResourceList total;
  for (const view::core::Container container : spec.containers()) {
    Add(RequestsIn(container.resources()), total);
  }
  // Init containers run one after the other, each next to the sidecars started before it.
  ResourceList sidecars, peak;
  for (const view::core::Container container : spec.initContainers()) {
    ResourceList running = RequestsIn(container.resources());
    const bool sidecar = container.restartPolicy() == "Always";
    if (sidecar) {
      Add(running, sidecars);
      RaiseTo(sidecars, peak);
      continue;
    }
    Add(sidecars, running);
    RaiseTo(running, peak);
  }
  Add(sidecars, total);
  RaiseTo(peak, total);
  if (spec.resources()) {
    for (const auto& [name, amount] : RequestsIn(spec.resources())) total[name] = amount;
  }
  Accumulate(spec.overhead(), total);
  return total;
}

Value ToJson(const ResourceList& list) {
  Value out = Value::Object();
  for (const auto& [name, amount] : list) out.Set(name, amount.ToString());
  return out;
}

std::optional<ResourceList> MinResources(const PodGangInfo& gang) {
  ResourceList total;
  for (const PodGroupInfo& group : gang.pod_groups) {
    if (group.min_replicas == 0) continue;
    if (!group.pod_spec.IsObject()) return std::nullopt;
    AddTimes(EffectiveRequests(group.pod_spec), group.min_replicas, total);
  }
  return total;
}

}  // namespace coppice::backends
