#include "services/common/resource_map.h"

#include <fmt/format.h>

namespace coppice::services {

base::Result<ResourceMap> ResourceMap::Read(view::Quantities list) {
  ResourceMap out;
  for (const auto& [name, quantity] : list) {
    const base::Result<base::Quantity> amount = quantity.IsInt()
                                                    ? base::Quantity::FromUnits(quantity.AsInt())
                                                    : base::Quantity::Parse(quantity.AsString());
    if (!amount) return amount.error().During(fmt::format("reading {}", name));
    out.Add(std::string(name), *amount);
  }
  return out;
}

// The first amount decides in which family of units the sum is written.
void ResourceMap::Add(const std::string& name, const base::Quantity& amount) {
  const auto [entry, is_new] = amounts_.emplace(name, amount);
  if (is_new) return;
  if (entry->second.IsZero()) {
    entry->second = amount;
  } else {
    entry->second += amount;
  }
}

void ResourceMap::Add(const ResourceMap& other) {
  for (const auto& [name, amount] : other.amounts_) Add(name, amount);
}

json::Value ResourceMap::ToJson() const {
  if (amounts_.empty()) return {};
  json::Value out = json::Value::Object();
  for (const auto& [name, amount] : amounts_) out.Set(name, amount.ToString());
  return out;
}

void PatchMember(const json::Value& current, std::string_view key, const json::Value& wanted,
                 json::Value& patch) {
  const json::Value& now = current[key];
  if (now == wanted || (wanted.IsNull() && !current.Has(key))) return;
  patch.Set(key, wanted);
}

void PatchResources(const json::Value& current, std::string_view key, const ResourceMap& wanted,
                    json::Value& patch) {
  const json::Value target = wanted.ToJson();
  const json::Value& now = current[key];
  if (now == target || (now.empty() && target.empty())) return;
  if (target.IsNull()) {
    patch.Set(key, target);
    return;
  }
  json::Value& out = patch.Mutable(key);
  for (const json::Member& member : target.Members()) {
    if (now[member.name()] != member.value) out.Set(member.name(), member.value);
  }
  for (const json::Member& member : now.Members()) {
    if (!target.Has(member.name())) out.Set(member.name(), json::Value());
  }
}

}  // namespace coppice::services
