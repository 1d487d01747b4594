#include "services/scheduler/read/numa.h"

#include <algorithm>
#include <limits>

#include "api/view/topology_v1alpha2.h"

namespace coppice::services::scheduler {
namespace {

// "node-12" is 12; names without a number come last.
int64_t NumberOf(const std::string& name) {
  size_t first = name.size();
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
  if (first == name.size() || name.size() - first > 9) return std::numeric_limits<int64_t>::max();
  return std::stoll(name.substr(first));
}

std::string_view Attribute(view::topology_v1alpha2::NodeResourceTopology node,
                           std::string_view name) {
  for (const auto attribute : node.attributes()) {
    if (attribute.name() == name) return attribute.value();
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

engine::NumaZone ReadZone(view::topology_v1alpha2::Zone zone) {
  engine::NumaZone out{std::string(zone.name()), {}, {}};
  const auto read = [](const std::string& name, const json::Value& amount) {
    const auto quantity = base::Quantity::Parse(amount.AsString());
    if (!quantity) return amount.AsInt() * (name == "cpu" ? 1000 : 1);
    return name == "cpu" ? quantity->MilliValue() : quantity->Value();
  };
  for (const view::topology_v1alpha2::ZoneResource resource : zone.resources()) {
    const std::string name(resource.name());
    out.allocatable[name] = read(name, resource.allocatable());
    out.available[name] = read(name, resource.available());
  }
  return out;
}

}  // namespace

engine::NumaTopology ReadNumaTopology(const json::Value& object) {
  const view::topology_v1alpha2::NodeResourceTopology node(object);
  engine::NumaTopology out;
  const std::string_view policy = Attribute(node, "topologyManagerPolicy");
  if (policy.empty()) {
    ReadLegacyPolicy(node.topologyPolicies().At(0), out);
  } else {
    out.policy = PolicyOf(policy);
    if (Attribute(node, "topologyManagerScope") == "pod") out.scope = engine::NumaScope::kPod;
  }
  for (const view::topology_v1alpha2::Zone zone : node.zones()) {
    if (zone.type() == "Node") out.zones.push_back(ReadZone(zone));
  }
  std::sort(out.zones.begin(), out.zones.end(), [](const auto& a, const auto& b) {
    return std::pair(NumberOf(a.name), a.name) < std::pair(NumberOf(b.name), b.name);
  });
  return out;
}

}  // namespace coppice::services::scheduler
