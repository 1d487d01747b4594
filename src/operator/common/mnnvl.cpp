#include "operator/common/mnnvl.h"

#include "api/edit/core.h"
#include "api/kai/names.h"
#include "api/key/core.h"
#include "api/view/core.h"
#include "base/quantity.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators {
namespace {

constexpr std::string_view kGpu = api::kai::names::kGpuResource;
constexpr std::string_view kClaimName = "mnnvl-claim";

bool IsPositive(const json::Value& quantity) {
  if (quantity.IsNumber()) return quantity.AsDouble() > 0;
  const auto parsed = base::Quantity::Parse(quantity.AsString());
  return parsed && parsed->Sign() > 0;
}

bool ContainerUsesGpus(view::core::Container container) {
  const auto resources = container.resources();
  return IsPositive(resources.limits()[kGpu]) || IsPositive(resources.requests()[kGpu]);
}

std::string Lookup(const StringMap& annotations) {
  const auto found = annotations.find(std::string(labels::kMnnvlGroup));
  return found == annotations.end() ? "" : found->second;
}

bool HasClaim(view::core::PodSpec pod_spec) {
  for (const view::core::PodResourceClaim claim : pod_spec.resourceClaims()) {
    if (claim.name() == kClaimName) return true;
  }
  return false;
}

}  // namespace

bool UsesGpus(const json::Value& pod_spec) {
  const view::core::PodSpec spec(pod_spec);
  for (const auto list : {spec.containers(), spec.initContainers()}) {
    for (const view::core::Container container : list) {
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
  if (HasClaim(view::core::PodSpec(pod_spec)) || !UsesGpus(pod_spec)) return;
  edit::core::PodSpec(pod_spec)
      .add_resourceClaims()
      .set_name(kClaimName)
      .set_resourceClaimTemplateName(claim_template);
  using Key = key::core::PodSpec;
  for (const std::string_view list : {Key::containers, Key::initContainers}) {
    json::Value* containers = pod_spec.FindMutable(list);
    if (containers == nullptr) continue;
    for (json::Value& container : containers->MutableItems()) {
      if (!ContainerUsesGpus(view::core::Container(container))) continue;
      edit::core::Container(container).resources().add_claims().set_name(kClaimName);
    }
  }
}

}  // namespace coppice::operators
