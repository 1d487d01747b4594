#include "services/grouper/karta/karta.h"

#include <fmt/format.h>

#include "api/selectors/names.h"
#include "api/view/karta.h"
#include "base/log.h"
#include "kube/object.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/karta/karta_structure.h"

namespace coppice::services::grouper {
namespace {

using json::Value;

struct Karta {
  Value object;
  KartaStructure structure;

  view::karta::GangScheduling Gang() const { return GangOf(object); }

  static view::karta::GangScheduling GangOf(const Value& karta) {
    return view::karta::Karta(karta).spec().optimizationInstructions().gangScheduling();
  }
};

bool IsFor(view::karta::Karta karta, const Value& owner) {
  const view::karta::GroupVersionKind kind =
      karta.spec().structureDefinition().rootComponent().kind();
  const std::string_view version = Object(owner).apiVersion();
  return kind.group() == GroupOf(version) && kind.version() == VersionOf(version) &&
         kind.kind() == kube::Kind(owner);
}

base::Status CheckMembers(view::karta::GangScheduling gang, const KartaStructure& structure) {
  const auto check = [&](std::string_view component) -> base::Status {
    if (structure.Has(std::string(component))) return {};
    return base::InvalidArgument(
        fmt::format("a group names component {}, which does not exist", component));
  };
  for (const view::karta::SubGroup sub_group : gang.podGroup().subGroups()) {
    COPPICE_TRY(check(sub_group.componentName()));
  }
  for (const view::karta::PodGroups group : gang.podGroups()) {
    for (const view::karta::Member member : group.members()) {
      COPPICE_TRY(check(member.componentName()));
      for (const auto paths : {member.filters(), member.groupByKeyPaths()}) {
        for (const std::string_view path : paths) COPPICE_TRY(Jq::Parse(path));
      }
    }
  }
  return {};
}

base::Result<Karta> ReadKarta(const Value& object) {
  COPPICE_ASSIGN(KartaStructure structure, KartaStructure::Read(view::karta::Karta(object)));
  COPPICE_TRY(CheckMembers(Karta::GangOf(object), structure));
  return Karta{object, std::move(structure)};
}

// Invalid ones are passed over; of two that are valid neither counts.
std::optional<Karta> FindKarta(const Context& context, const Value& owner) {
  const std::string_view version = Object(owner).apiVersion();
  const auto listed = context.lookup.List(
      "run.ai/v1alpha1", "Karta", "",
      fmt::format("run.ai/karta-group={},run.ai/karta-version={},run.ai/karta-kind={}",
                  GroupOf(version), VersionOf(version), kube::Kind(owner)));
  if (!listed) return std::nullopt;
  std::optional<Karta> found;
  for (const Value& object : *listed) {
    const view::karta::GangScheduling gang = Karta::GangOf(object);
    if (!IsFor(view::karta::Karta(object), owner) || kube::IsDeleting(object)) continue;
    if (gang.podGroup().Json().empty() && gang.podGroups().empty()) continue;
    auto karta = ReadKarta(object);
    if (!karta) {
      base::LogWarn("a Karta is invalid", {{"name", std::string(kube::Name(object))},
                                           {"error", karta.error().message()}});
    } else if (found) {
      base::LogError("several Kartas describe one kind",
                     {{"kind", std::string(kube::Kind(owner))}});
      return std::nullopt;
    } else {
      found = *std::move(karta);
    }
  }
  return found;
}

base::Result<std::optional<TopologyConstraint>> ReadTopology(
    view::karta::TopologyConstraint topology) {
  if (topology.Json().empty()) return std::optional<TopologyConstraint>();
  TopologyConstraint out{std::string(topology.topologyName()),
                         std::string(topology.requiredTopologyLevel()),
                         std::string(topology.preferredTopologyLevel())};
  if (out.topology.empty() || !out.HasLevel()) {
    return base::InvalidArgument("a Karta's topology needs a name and a level");
  }
  return std::optional(out);
}

base::Status FillByPodGroup(const Karta& karta, const Workload& workload, Metadata& metadata) {
  const view::karta::PodGroup group = karta.Gang().podGroup();
  metadata.name = fmt::format("pg-{}-{}", kube::Uid(workload.top_owner), group.name());
  COPPICE_ASSIGN(const auto topology, ReadTopology(group.topology()));
  if (topology) metadata.topology = *topology;
  for (const view::karta::SubGroup item : group.subGroups()) {
    const std::string component(item.componentName());
    SubGroup sub_group;
    sub_group.name = component;
    COPPICE_ASSIGN(sub_group.min_available,
                   karta.structure.SubtreeScale(component, workload.top_owner));
    if (sub_group.min_available <= 0) {
      return base::InvalidArgument("component " + component + " has no pods");
    }
    COPPICE_ASSIGN(sub_group.topology, ReadTopology(item.topology()));
    COPPICE_ASSIGN(const bool member, karta.structure.Contains(component, workload.pod));
    if (member) sub_group.pods.emplace_back(kube::Name(workload.pod));
    metadata.sub_groups.push_back(std::move(sub_group));
  }
  if (!metadata.sub_groups.empty()) {
    metadata.min_sub_group = static_cast<int64_t>(metadata.sub_groups.size());
    return {};
  }
  COPPICE_ASSIGN(metadata.min_available,
                 karta.structure.SubtreeScale(karta.structure.root(), workload.top_owner));
  return {};
}

base::Result<bool> PassesFilters(view::karta::Member member, const Value& pod) {
  for (const std::string_view text : member.filters()) {
    COPPICE_ASSIGN(const Jq filter, Jq::Parse(text));
    COPPICE_ASSIGN(const std::vector<Value> values, filter.Evaluate(pod));
    if (values.size() != 1 || !values.front().AsBool()) return false;
  }
  return true;
}

// The pod's own component first, then those above it.
base::Result<std::optional<view::karta::Member>> FindMember(const Karta& karta,
                                                            const std::string& leaf,
                                                            const Value& pod) {
  for (std::string name = leaf; !name.empty(); name = karta.structure.ParentOf(name)) {
    for (const view::karta::PodGroups group : karta.Gang().podGroups()) {
      for (const view::karta::Member member : group.members()) {
        if (member.componentName() != name) continue;
        COPPICE_ASSIGN(const bool passes, PassesFilters(member, pod));
        if (passes) return std::optional(member);
      }
    }
  }
  return std::optional<view::karta::Member>();
}

base::Result<std::string> GroupName(view::karta::Member member, const Workload& workload) {
  std::string name = fmt::format("pg-{}", kube::Uid(workload.top_owner));
  for (const std::string_view text : member.groupByKeyPaths()) {
    COPPICE_ASSIGN(const Jq path, Jq::Parse(text));
    COPPICE_ASSIGN(const std::vector<Value> values, path.Evaluate(workload.pod));
    if (values.size() != 1 || values.front().AsString().empty()) {
      return base::InvalidArgument(fmt::format("{} gives no single value", text));
    }
    name += "-" + values.front().ToString();
  }
  if (!api::Dns1123SubdomainProblems(name).empty()) {
    return base::InvalidArgument(fmt::format("\"{}\" cannot be a group's name", name));
  }
  return name;
}

base::Status FillByPodGroups(const Karta& karta, const Workload& workload, Metadata& metadata) {
  COPPICE_ASSIGN(const auto leaf, karta.structure.LeafOf(workload.pod));
  if (!leaf) return base::InvalidArgument("the pod belongs to no component of its Karta");
  COPPICE_ASSIGN(const auto member, FindMember(karta, *leaf, workload.pod));
  if (!member) return base::InvalidArgument("no group of the Karta takes component " + *leaf);
  COPPICE_ASSIGN(metadata.name, GroupName(*member, workload));
  const std::string component(member->componentName());
  COPPICE_ASSIGN(metadata.min_available,
                 component == *leaf
                     ? karta.structure.InstanceScale(component, workload.top_owner, workload.pod)
                     : karta.structure.SubtreeScale(component, workload.top_owner));
  return {};
}

}  // namespace

base::Result<std::optional<Metadata>> GroupByKarta(const Context& context,
                                                   const Workload& workload) {
  const std::optional<Karta> karta = FindKarta(context, workload.top_owner);
  if (!karta) return std::optional<Metadata>();
  COPPICE_ASSIGN(Metadata metadata, GroupByDefault(context, workload));
  COPPICE_TRY(karta->Gang().podGroup().Json().empty() ? FillByPodGroups(*karta, workload, metadata)
                                                      : FillByPodGroup(*karta, workload, metadata));
  return std::optional(std::move(metadata));
}

}  // namespace coppice::services::grouper
