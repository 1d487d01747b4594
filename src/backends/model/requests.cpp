#include "backends/model/requests.h"

namespace coppice::backends {
namespace {

using base::Quantity;
using json::Value;

void Accumulate(const Value& amounts, ResourceList& out) {
  for (const json::Member& member : amounts.Members()) {
    const std::string text =
        member.value.IsInt() ? std::to_string(member.value.AsInt()) : member.value.ToString();
    const auto amount = Quantity::Parse(text);
    if (!amount) continue;
    const auto [entry, added] = out.emplace(std::string(member.name()), *amount);
    if (!added) entry->second += *amount;
  }
}

// Requests of a container; what has only a limit is requested at that limit.
ResourceList ContainerRequests(const Value& container) {
  ResourceList requests, limits;
  Accumulate(container["resources"]["requests"], requests);
  Accumulate(container["resources"]["limits"], limits);
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

bool IsSidecar(const Value& container) { return container["restartPolicy"].AsString() == "Always"; }

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
  ResourceList total;
  for (const Value& container : pod_spec["containers"].Items()) {
    Add(ContainerRequests(container), total);
  }
  // Init containers run one after the other, each beside the sidecars started before it.
  ResourceList sidecars, peak;
  for (const Value& container : pod_spec["initContainers"].Items()) {
    ResourceList running = ContainerRequests(container);
    if (IsSidecar(container)) {
      Add(running, sidecars);
      RaiseTo(sidecars, peak);
      continue;
    }
    Add(sidecars, running);
    RaiseTo(running, peak);
  }
  Add(sidecars, total);
  RaiseTo(peak, total);
  if (pod_spec["resources"].IsObject()) {
    for (const auto& [name, amount] : ContainerRequests(pod_spec)) total[name] = amount;
  }
  Accumulate(pod_spec["overhead"], total);
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
