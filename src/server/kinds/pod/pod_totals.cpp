#include <map>

#include "base/quantity.h"
#include "server/kinds/pod/pod_spec.h"

namespace coppice::server {
namespace {

using Totals = std::map<std::string, base::Quantity, std::less<>>;

Totals ReadTotals(const json::Value& list) {
  Totals totals;
  for (const json::Member& each : list.Members()) {
    const auto quantity = base::Quantity::Parse(each.value.AsString());
    if (quantity) totals.emplace(each.name(), *quantity);
  }
  return totals;
}

void Add(const Totals& more, Totals& totals) {
  for (const auto& [name, quantity] : more) {
    const auto [entry, added] = totals.emplace(name, quantity);
    if (!added) entry->second += quantity;
  }
}

void Raise(const Totals& least, Totals& totals) {
  for (const auto& [name, quantity] : least) {
    const auto [entry, added] = totals.emplace(name, quantity);
    if (!added && entry->second < quantity) entry->second = quantity;
  }
}

bool IsSidecar(const json::Value& container) {
  return container["restartPolicy"].AsString() == "Always";
}

}  // namespace

// Containers run together, init containers one after the other, next to the sidecars that were
// started before them.
json::Value PodTotals(const json::Value& spec, std::string_view field) {
  Totals running, peak;
  for (const json::Value& container : spec["containers"].Items()) {
    Add(ReadTotals(container["resources"][field]), running);
  }
  Totals sidecars;
  for (const json::Value& container : spec["initContainers"].Items()) {
    Totals now = ReadTotals(container["resources"][field]);
    if (IsSidecar(container)) {
      Add(now, sidecars);
      Raise(sidecars, peak);
    } else {
      Add(sidecars, now);
      Raise(now, peak);
    }
  }
  Add(sidecars, running);
  Raise(peak, running);
  for (const auto& [name, quantity] : ReadTotals(spec["resources"][field]))
    running[name] = quantity;
  if (!running.empty()) Add(ReadTotals(spec["overhead"]), running);
  json::Value out = json::Value::Object();
  for (const auto& [name, quantity] : running) out.Set(name, quantity.ToString());
  return out;
}

}  // namespace coppice::server
