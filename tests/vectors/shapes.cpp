#include "tests/vectors/shapes.h"

#include <limits>

#include "json/parse.h"

namespace coppice::vectors {

using engine::Labels;

Labels ReadLabels(const json::Value& value) {
  Labels labels;
  for (const auto& member : value.Members()) {
    labels.emplace(member.name(), member.value.ToString());
  }
  return labels;
}

engine::ResourceList ReadResources(const json::Value& value) {
  engine::ResourceList list;
  for (const auto& member : value.Members()) {
    const auto quantity = base::Quantity::Parse(member.value.AsString());
    if (quantity) list.emplace(member.name(), *quantity);
  }
  return list;
}

namespace {

engine::SelectorOperator ReadOperator(std::string_view text) {
  using engine::SelectorOperator;
  if (text == "NotIn") return SelectorOperator::kNotIn;
  if (text == "Exists") return SelectorOperator::kExists;
  if (text == "DoesNotExist") return SelectorOperator::kDoesNotExist;
  if (text == "Gt") return SelectorOperator::kGreaterThan;
  if (text == "Lt") return SelectorOperator::kLessThan;
  return SelectorOperator::kIn;
}

std::vector<engine::SelectorRequirement> ReadRequirements(const json::Value& value) {
  std::vector<engine::SelectorRequirement> requirements;
  for (const auto& item : value.Items()) {
    engine::SelectorRequirement requirement{
        item["key"].ToString(), ReadOperator(item["operator"].AsString()), {}};
    for (const auto& entry : item["values"].Items()) requirement.values.push_back(entry.ToString());
    requirements.push_back(std::move(requirement));
  }
  return requirements;
}

engine::LabelSelector ReadLabelSelector(const json::Value& value) {
  return {ReadLabels(value["matchLabels"]), ReadRequirements(value["matchExpressions"])};
}

engine::PodAffinityTerm ReadTerm(const json::Value& value) {
  engine::PodAffinityTerm term;
  if (value.Has("labelSelector")) term.selector = ReadLabelSelector(value["labelSelector"]);
  for (const auto& name : value["namespaces"].Items()) term.namespaces.push_back(name.ToString());
  if (value.Has("namespaceSelector")) {
    term.namespace_selector = ReadLabelSelector(value["namespaceSelector"]);
  }
  term.topology_key = value["topologyKey"].ToString();
  return term;
}

void ReadTerms(const json::Value& value, std::vector<engine::PodAffinityTerm>& required,
               std::vector<engine::WeightedPodAffinityTerm>& preferred) {
  for (const auto& item : value["requiredDuringSchedulingIgnoredDuringExecution"].Items()) {
    required.push_back(ReadTerm(item));
  }
  for (const auto& item : value["preferredDuringSchedulingIgnoredDuringExecution"].Items()) {
    preferred.push_back(
        {static_cast<int>(item["weight"].AsInt()), ReadTerm(item["podAffinityTerm"])});
  }
}

// Counts beyond what an integer holds are as many as it holds.
int64_t ReadCount(const json::Value& value, int64_t fallback) {
  if (value.IsNull()) return fallback;
  const double amount = value.AsDouble();
  if (amount >= 9.2e18) return std::numeric_limits<int64_t>::max();
  return value.AsInt();
}

std::vector<std::string> ReadCel(const json::Value& selectors) {
  std::vector<std::string> expressions;
  for (const auto& item : selectors.Items()) {
    expressions.push_back(item["cel"]["expression"].ToString());
  }
  return expressions;
}

}  // namespace

engine::NodeSelector ReadNodeSelector(const json::Value& value) {
  engine::NodeSelector selector;
  for (const auto& term : value["nodeSelectorTerms"].Items()) {
    selector.terms.push_back(
        {ReadRequirements(term["matchExpressions"]), ReadRequirements(term["matchFields"])});
  }
  return selector;
}

engine::Affinity ReadAffinity(const json::Value& value) {
  engine::Affinity affinity;
  const json::Value& nodes =
      value["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  if (!nodes.IsNull()) affinity.required_nodes = ReadNodeSelector(nodes);
  ReadTerms(value["podAffinity"], affinity.required_pods, affinity.preferred_pods);
  ReadTerms(value["podAntiAffinity"], affinity.required_anti_pods, affinity.preferred_anti_pods);
  return affinity;
}

engine::TaskStatus ReadStatus(const json::Value& value) {
  for (int i = 0; i <= static_cast<int>(engine::TaskStatus::kUnknown); ++i) {
    const auto status = static_cast<engine::TaskStatus>(i);
    if (engine::ToString(status) == value.AsString()) return status;
  }
  return engine::TaskStatus::kUnknown;
}

engine::NumaTopology ReadNuma(const json::Value& value) {
  engine::NumaTopology numa;
  const std::string policy = value["policy"].ToString(), scope = value["scope"].ToString();
  using engine::NumaPolicy;
  numa.policy = policy == "3" || policy == "single-numa-node" ? NumaPolicy::kSingleNode
                : policy == "2" || policy == "restricted"     ? NumaPolicy::kRestricted
                : policy == "1" || policy == "best-effort"    ? NumaPolicy::kBestEffort
                                                              : NumaPolicy::kNone;
  numa.scope =
      scope == "1" || scope == "pod" ? engine::NumaScope::kPod : engine::NumaScope::kContainer;
  for (const auto& item : value["zones"].Items()) {
    engine::NumaZone zone{item["id"].ToString(), {}, {}};
    for (const auto& member : item["allocatable"].Members()) {
      zone.allocatable[std::string(member.name())] = member.value.AsInt();
    }
    for (const auto& member : item["available"].Members()) {
      zone.available[std::string(member.name())] = member.value.AsInt();
    }
    numa.zones.push_back(std::move(zone));
  }
  return numa;
}

std::vector<engine::NumaPlacement> ReadNumaPlacement(const std::string& annotation) {
  std::vector<engine::NumaPlacement> placement;
  const auto parsed = json::Parse(annotation);
  if (!parsed) return placement;
  for (const auto& item : parsed->Items()) {
    placement.push_back({item["zone"].ToString(), ReadResources(item["amount"])});
  }
  return placement;
}

engine::DeviceClassSpec ReadDeviceClass(const json::Value& object) {
  return {object["metadata"]["name"].ToString(), ReadCel(object["spec"]["selectors"]),
          object["spec"]["extendedResourceName"].ToString()};
}

engine::ResourceSliceSpec ReadResourceSlice(const json::Value& object) {
  const json::Value& spec = object["spec"];
  engine::ResourceSliceSpec slice;
  slice.name = object["metadata"]["name"].ToString();
  slice.driver = spec["driver"].ToString();
  slice.pool = spec["pool"]["name"].ToString();
  slice.pool_generation = spec["pool"]["generation"].AsInt();
  slice.pool_slice_count = spec["pool"]["resourceSliceCount"].AsInt(1);
  slice.node_name = spec["nodeName"].ToString();
  slice.all_nodes = spec["allNodes"].AsBool();
  if (spec.Has("nodeSelector")) slice.node_selector = ReadNodeSelector(spec["nodeSelector"]);
  for (const auto& item : spec["devices"].Items()) {
    engine::DeviceSpec device;
    device.name = item["name"].ToString();
    for (const auto& member : item["attributes"].Members()) {
      const json::Value& value = member.value;
      engine::DeviceAttribute attribute = value["string"].ToString();
      if (value.Has("bool")) attribute = value["bool"].AsBool();
      if (value.Has("int")) attribute = value["int"].AsInt();
      if (value.Has("version")) attribute = engine::DeviceVersion{value["version"].ToString()};
      device.attributes.emplace(member.name(), std::move(attribute));
    }
    for (const auto& member : item["capacity"].Members()) {
      const auto quantity = base::Quantity::Parse(member.value["value"].AsString());
      if (quantity) device.capacity.emplace(member.name(), *quantity);
    }
    slice.devices.push_back(std::move(device));
  }
  return slice;
}

engine::ClaimAllocation ReadAllocation(const json::Value& value) {
  engine::ClaimAllocation allocation;
  for (const auto& item : value["devices"]["results"].Items()) {
    allocation.devices.push_back({item["request"].ToString(), item["driver"].ToString(),
                                  item["pool"].ToString(), item["device"].ToString()});
  }
  if (value.Has("nodeSelector")) allocation.node_selector = ReadNodeSelector(value["nodeSelector"]);
  return allocation;
}

engine::ResourceClaimSpec ReadResourceClaim(const json::Value& object) {
  engine::ResourceClaimSpec claim;
  claim.namespace_name = object["metadata"]["namespace"].ToString();
  claim.name = object["metadata"]["name"].ToString();
  claim.uid = object["metadata"]["uid"].ToString();
  claim.labels = ReadLabels(object["metadata"]["labels"]);
  for (const auto& owner : object["metadata"]["ownerReferences"].Items()) {
    if (owner["kind"].AsString() == "Pod") claim.owner_pod_uid = owner["uid"].ToString();
  }
  for (const auto& item : object["spec"]["devices"]["requests"].Items()) {
    const json::Value& exactly = item["exactly"];
    engine::DeviceRequestSpec request;
    request.name = item["name"].ToString();
    request.device_class = exactly["deviceClassName"].ToString();
    const std::string mode = exactly["allocationMode"].ToString("ExactCount");
    request.mode = mode == "All"          ? engine::DeviceAllocationMode::kAll
                   : mode == "ExactCount" ? engine::DeviceAllocationMode::kExactCount
                                          : engine::DeviceAllocationMode::kUnknown;
    request.count = ReadCount(exactly["count"], 1);
    request.cel_selectors = ReadCel(exactly["selectors"]);
    claim.requests.push_back(std::move(request));
  }
  for (const auto& item : object["spec"]["devices"]["constraints"].Items()) {
    engine::DeviceConstraintSpec constraint{{}, item["matchAttribute"].ToString()};
    for (const auto& name : item["requests"].Items())
      constraint.requests.push_back(name.ToString());
    claim.constraints.push_back(std::move(constraint));
  }
  const json::Value& status = object["status"];
  if (status.Has("allocation")) claim.allocation = ReadAllocation(status["allocation"]);
  for (const auto& item : status["reservedFor"].Items()) {
    claim.reserved_for.push_back({item["name"].ToString(), item["uid"].ToString()});
  }
  return claim;
}

}  // namespace coppice::vectors
