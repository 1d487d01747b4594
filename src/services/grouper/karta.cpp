#include "services/grouper/karta.h"

#include <fmt/format.h>

#include "api/selectors/names.h"
#include "base/log.h"
#include "kube/object.h"
#include "services/grouper/default_grouper.h"
#include "services/grouper/karta_structure.h"
#include "services/grouper/values.h"

namespace coppice::services::grouper {
namespace {

using json::Value;

struct Karta {
  Value gang;  // spec.optimizationInstructions.gangScheduling.
  KartaStructure structure;
};

bool IsFor(const Value& karta, const Value& owner) {
  const Value& kind = karta["spec"]["structureDefinition"]["rootComponent"]["kind"];
  const std::string_view version = owner["apiVersion"].AsString();
  return kind["group"].AsString() == GroupOf(version) &&
         kind["version"].AsString() == VersionOf(version) &&
         kind["kind"].AsString() == kube::Kind(owner);
}

base::Status CheckMembers(const Value& gang, const KartaStructure& structure) {
  const auto check = [&](const Value& component) -> base::Status {
    if (structure.Has(component.ToString())) return {};
    return base::InvalidArgument("a group names component " + component.ToString() +
                                 ", which does not exist");
  };
  for (const Value& sub_group : gang["podGroup"]["subGroups"].Items()) {
    COPPICE_TRY(check(sub_group["componentName"]));
  }
  for (const Value& group : gang["podGroups"].Items()) {
    for (const Value& member : group["members"].Items()) {
      COPPICE_TRY(check(member["componentName"]));
      for (const char* list : {"filters", "groupByKeyPaths"}) {
        for (const Value& path : member[list].Items()) COPPICE_TRY(Jq::Parse(path.AsString()));
      }
    }
  }
  return {};
}

base::Result<Karta> ReadKarta(const Value& object) {
  COPPICE_ASSIGN(KartaStructure structure, KartaStructure::Read(object));
  const Value& gang = object["spec"]["optimizationInstructions"]["gangScheduling"];
  COPPICE_TRY(CheckMembers(gang, structure));
  return Karta{gang, std::move(structure)};
}

// Invalid ones are passed over; of two that are valid neither counts.
std::optional<Karta> FindKarta(const Context& context, const Value& owner) {
  const std::string_view version = owner["apiVersion"].AsString();
  const auto listed = context.lookup.List(
      "run.ai/v1alpha1", "Karta", "",
      fmt::format("run.ai/karta-group={},run.ai/karta-version={},run.ai/karta-kind={}",
                  GroupOf(version), VersionOf(version), kube::Kind(owner)));
  if (!listed) return std::nullopt;
  std::optional<Karta> found;
  for (const Value& object : *listed) {
    const Value& gang = object["spec"]["optimizationInstructions"]["gangScheduling"];
    if (!IsFor(object, owner) || kube::IsDeleting(object)) continue;
    if (gang["podGroup"].empty() && gang["podGroups"].empty()) continue;
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

base::Result<std::optional<TopologyConstraint>> ReadTopology(const Value& topology) {
  if (topology.empty()) return std::optional<TopologyConstraint>();
  TopologyConstraint out{topology["topologyName"].ToString(),
                         topology["requiredTopologyLevel"].ToString(),
                         topology["preferredTopologyLevel"].ToString()};
  if (out.topology.empty() || !out.HasLevel()) {
    return base::InvalidArgument("a Karta's topology needs a name and a level");
  }
  return std::optional(out);
}

base::Status FillByPodGroup(const Karta& karta, const Workload& workload, Metadata& metadata) {
  const Value& group = karta.gang["podGroup"];
  metadata.name = fmt::format("pg-{}-{}", kube::Uid(workload.top_owner), group["name"].AsString());
  COPPICE_ASSIGN(const auto topology, ReadTopology(group["topology"]));
  if (topology) metadata.topology = *topology;
  for (const Value& item : group["subGroups"].Items()) {
    const std::string component = item["componentName"].ToString();
    SubGroup sub_group;
    sub_group.name = component;
    COPPICE_ASSIGN(sub_group.min_available,
                   karta.structure.SubtreeScale(component, workload.top_owner));
    if (sub_group.min_available <= 0) {
      return base::InvalidArgument("component " + component + " has no pods");
    }
    COPPICE_ASSIGN(sub_group.topology, ReadTopology(item["topology"]));
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

base::Result<bool> PassesFilters(const Value& member, const Value& pod) {
  for (const Value& text : member["filters"].Items()) {
    COPPICE_ASSIGN(const Jq filter, Jq::Parse(text.AsString()));
    COPPICE_ASSIGN(const std::vector<Value> values, filter.Evaluate(pod));
    if (values.size() != 1 || !values.front().AsBool()) return false;
  }
  return true;
}

// The pod's own component first, then those above it.
base::Result<std::optional<Value>> FindMember(const Karta& karta, const std::string& leaf,
                                              const Value& pod) {
  for (std::string name = leaf; !name.empty(); name = karta.structure.ParentOf(name)) {
    for (const Value& group : karta.gang["podGroups"].Items()) {
      for (const Value& member : group["members"].Items()) {
        if (member["componentName"].AsString() != name) continue;
        COPPICE_ASSIGN(const bool passes, PassesFilters(member, pod));
        if (passes) return std::optional(member);
      }
    }
  }
  return std::optional<Value>();
}

base::Result<std::string> GroupName(const Value& member, const Workload& workload) {
  std::string name = fmt::format("pg-{}", kube::Uid(workload.top_owner));
  for (const Value& text : member["groupByKeyPaths"].Items()) {
    COPPICE_ASSIGN(const Jq path, Jq::Parse(text.AsString()));
    COPPICE_ASSIGN(const std::vector<Value> values, path.Evaluate(workload.pod));
    if (values.size() != 1 || values.front().AsString().empty()) {
      return base::InvalidArgument(fmt::format("{} gives no single value", text.AsString()));
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
  const std::string component = (*member)["componentName"].ToString();
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
  COPPICE_TRY(karta->gang["podGroup"].empty() ? FillByPodGroups(*karta, workload, metadata)
                                              : FillByPodGroup(*karta, workload, metadata));
  return std::optional(std::move(metadata));
}

}  // namespace coppice::services::grouper
