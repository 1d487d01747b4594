#include "operator/common/mnnvl.h"

#include "base/quantity.h"
#include "operator/common/metadata.h"

namespace coppice::operators {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::string_view kClaimName = "mnnvl-claim";

bool IsPositive(const json::Value& quantity) {
  if (quantity.IsNumber()) return quantity.AsDouble() > 0;
  const auto parsed = base::Quantity::Parse(quantity.AsString());
  return parsed && parsed->Sign() > 0;
}

bool ContainerUsesGpus(const json::Value& container) {
  const json::Value& resources = container["resources"];
  return IsPositive(resources["limits"][kGpu]) || IsPositive(resources["requests"][kGpu]);
}

std::string Lookup(const StringMap& annotations) {
  const auto found = annotations.find(std::string(labels::kMnnvlGroup));
  return found == annotations.end() ? "" : found->second;
}

bool HasClaim(const json::Value& pod_spec) {
  for (const json::Value& claim : pod_spec["resourceClaims"].Items()) {
    if (claim["name"].AsString() == kClaimName) return true;
  }
  return false;
}

void AddReference(json::Value& container) {
  container.Mutable("resources")
      .Mutable("claims")
      .Append(json::Value::Object({{"name", kClaimName}}));
}

}  // namespace

bool UsesGpus(const json::Value& pod_spec) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const json::Value& container : pod_spec[list].Items()) {
      if (ContainerUsesGpus(container)) return true;
    }
  }
  return false;
}

std::string MnnvlGroup(const StringMap& clique, const StringMap& scaling_group,
                       const StringMap& set) {
  for (const StringMap* layer : {&clique, &scaling_group, &set}) {
    const std::string group = Lookup(*layer);
    if (!group.empty()) return group == labels::kMnnvlNone ? "" : group;
  }
  return "";
}

std::set<std::string> MnnvlGroupsInUse(const api::grove::PodCliqueSet& set) {
  std::set<std::string> groups;
  for (const auto& clique : set.spec.template_.cliques) {
    if (!UsesGpus(clique.spec.podSpec)) continue;
    const auto* group = set.spec.template_.GroupOf(clique.name);
    const std::string name =
        MnnvlGroup(clique.annotations, group == nullptr ? StringMap() : group->annotations,
                   AnnotationsOf(set.object));
    if (!name.empty()) groups.insert(name);
  }
  return groups;
}

void InjectMnnvlClaim(json::Value& pod_spec, const std::string& claim_template) {
  if (HasClaim(pod_spec) || !UsesGpus(pod_spec)) return;
  pod_spec.Mutable("resourceClaims")
      .Append(json::Value::Object(
          {{"name", kClaimName}, {"resourceClaimTemplateName", claim_template}}));
  for (const std::string_view list : {"containers", "initContainers"}) {
    json::Value* containers = pod_spec.FindMutable(list);
    if (containers == nullptr) continue;
    for (json::Value& container : containers->MutableItems()) {
      if (ContainerUsesGpus(container)) AddReference(container);
    }
  }
}

}  // namespace coppice::operators
