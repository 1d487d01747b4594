#include "services/scheduler/read/numa.h"

#include <algorithm>
#include <limits>

namespace coppice::services::scheduler {
namespace {

// "node-12" is 12; names without a number come last.
int64_t NumberOf(const std::string& name) {
  size_t first = name.size();
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
  if (first == name.size() || name.size() - first > 9) return std::numeric_limits<int64_t>::max();
  return std::stoll(name.substr(first));
}

std::string_view Attribute(const json::Value& object, std::string_view name) {
  for (const json::Value& attribute : object["attributes"].Items()) {
    if (attribute["name"].AsString() == name) return attribute["value"].AsString();
  }
  return {};
}

engine::NumaPolicy PolicyOf(std::string_view text) {
  using enum engine::NumaPolicy;
  if (text == "single-numa-node") return kSingleNode;
  if (text == "restricted") return kRestricted;
  return text == "best-effort" ? kBestEffort : kNone;
}

// "SingleNUMANodePodLevel": policy and scope in one word, as older agents write them.
void ReadLegacyPolicy(std::string_view text, engine::NumaTopology& out) {
  using enum engine::NumaPolicy;
  if (text.ends_with("PodLevel")) out.scope = engine::NumaScope::kPod;
  if (text.starts_with("SingleNUMANode")) out.policy = kSingleNode;
  if (text.starts_with("Restricted")) out.policy = kRestricted;
  if (text.starts_with("BestEffort")) out.policy = kBestEffort;
}

engine::NumaZone ReadZone(const json::Value& zone) {
  engine::NumaZone out{zone["name"].ToString(), {}, {}};
  const auto read = [](const std::string& name, const json::Value& amount) {
    const auto quantity = base::Quantity::Parse(amount.AsString());
    if (!quantity) return amount.AsInt() * (name == "cpu" ? 1000 : 1);
    return name == "cpu" ? quantity->MilliValue() : quantity->Value();
  };
  for (const json::Value& resource : zone["resources"].Items()) {
    const std::string name = resource["name"].ToString();
    out.allocatable[name] = read(name, resource["allocatable"]);
    out.available[name] = read(name, resource["available"]);
  }
  return out;
}

}  // namespace

engine::NumaTopology ReadNumaTopology(const json::Value& object) {
  engine::NumaTopology out;
  const std::string_view policy = Attribute(object, "topologyManagerPolicy");
  if (policy.empty()) {
    ReadLegacyPolicy(object["topologyPolicies"].At(0).AsString(), out);
  } else {
    out.policy = PolicyOf(policy);
    if (Attribute(object, "topologyManagerScope") == "pod") out.scope = engine::NumaScope::kPod;
  }
  for (const json::Value& zone : object["zones"].Items()) {
    if (zone["type"].AsString() == "Node") out.zones.push_back(ReadZone(zone));
  }
  std::sort(out.zones.begin(), out.zones.end(), [](const auto& a, const auto& b) {
    return std::pair(NumberOf(a.name), a.name) < std::pair(NumberOf(b.name), b.name);
  });
  return out;
}

}  // namespace coppice::services::scheduler
