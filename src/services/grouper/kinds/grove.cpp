#include "api/key/grove.h"

#include <fmt/format.h>

#include "api/labels.h"
#include "api/view/grove.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/kinds/families.h"

// PodGangs of a Grove whose own KAI backend is off (docs/behaviour/grouper.md K-38).
namespace coppice::services::grouper {
namespace {

using view::grove::PodGang;

base::Result<json::Value> PodGangOf(const Context& context, const json::Value& pod) {
  const std::string_view name = kube::Label(pod, api::labels::kPodGang);
  if (name.empty()) {
    return base::InvalidArgument(fmt::format("the pod lacks the label {}", api::labels::kPodGang));
  }
  return context.lookup.Get("scheduler.grove.io/v1alpha1", "PodGang", kube::Namespace(pod), name);
}

std::string TopologyName(PodGang gang) {
  const TextMap annotations = gang.metadata().annotations();
  return std::string(
      FindText(annotations, api::labels::kTopologyName).value_or(annotations[names::kTopology]));
}

base::Result<std::optional<TopologyConstraint>> PackConstraint(
    view::grove::GangTopologyConstraint constraint, const std::string& topology,
    std::string_view where) {
  const view::grove::PackConstraint pack = constraint.packConstraint();
  TopologyConstraint out{topology, std::string(pack.required()), std::string(pack.preferred())};
  if (!out.HasLevel()) return std::optional<TopologyConstraint>();
  if (topology.empty()) {
    return base::InvalidArgument(
        fmt::format("{} has a topology constraint, but the PodGang names no topology", where));
  }
  return std::optional(std::move(out));
}

void MergeWhereAbsent(TextMap from, StringMap& into) {
  for (const auto& [key, value] : ReadMap(from)) into.emplace(key, value);
}

const std::string* Find(const StringMap& map, std::string_view key) {
  const auto found = map.find(std::string(key));
  return found == map.end() ? nullptr : &found->second;
}

void SetIfEmpty(std::string& field, const StringMap& annotations, std::string_view key) {
  const std::string* text = Find(annotations, key);
  if (field.empty() && text) field = *text;
}

// What the gang and, where it says nothing, the PodCliqueSet say by labels and annotations.
base::Status ApplyTopOwner(const json::Value& owner, Metadata& metadata) {
  MergeWhereAbsent(Object(owner).metadata().labels(), metadata.labels);
  MergeWhereAbsent(Object(owner).metadata().annotations(), metadata.annotations);
  if (const std::string* priority = Find(metadata.labels, names::kPriorityClassLabel)) {
    metadata.priority_class = *priority;
  }
  if (const std::string* text = Find(metadata.labels, names::kPreemptibility)) {
    if (!text->empty() && ParsePreemptibility(*text).empty()) {
      return BadValue(names::kPreemptibility, *text, "a preemptibility");
    }
    metadata.preemptibility = *text;
  }
  if (const std::string* delay = Find(metadata.annotations, names::kPreemptionDelay)) {
    const auto duration = CanonicalGoDuration(*delay);
    if (duration && duration->front() != '-') metadata.preemption_delay = duration;
  }
  SetIfEmpty(metadata.topology.topology, metadata.annotations, names::kTopology);
  SetIfEmpty(metadata.topology.required_level, metadata.annotations, names::kTopologyRequired);
  SetIfEmpty(metadata.topology.preferred_level, metadata.annotations, names::kTopologyPreferred);
  return {};
}

struct GangReader {
  PodGang gang;
  std::string topology;
  Metadata& metadata;
  StringMap parent_of;  // Of a pod group, by its name.

  base::Status ReadParents() {
    for (const auto config : gang.spec().topologyConstraintGroupConfigs()) {
      if (!config.has_name()) {
        return base::InvalidArgument("a group config of the PodGang has no name");
      }
      if (config.podGroupNames().empty()) continue;
      const std::string name(config.name());
      COPPICE_ASSIGN(auto constraint, PackConstraint(config.topologyConstraint(), topology, name));
      metadata.sub_groups.push_back(
          {.name = name,
           .min_sub_group = static_cast<int64_t>(config.podGroupNames().size()),
           .topology = std::move(constraint)});
      for (const std::string_view member : config.podGroupNames()) {
        parent_of[std::string(member)] = name;
      }
    }
    return {};
  }

  base::Result<std::vector<std::string>> References(view::grove::PodGroup group) {
    std::vector<std::string> pods;
    for (const view::grove::NamespacedName reference : group.podReferences()) {
      const std::string_view ns = reference.namespace_();
      if (ns != gang.metadata().namespace_()) {
        return base::InvalidArgument(
            fmt::format("pod group {} refers to pods of namespace {}", group.name(), ns));
      }
      if (reference.name().empty()) {
        return base::InvalidArgument(
            fmt::format("pod group {} refers to a pod without a name", group.name()));
      }
      pods.emplace_back(reference.name());
    }
    return pods;
  }

  base::Status ReadLeaf(view::grove::PodGroup group) {
    SubGroup leaf{.name = std::string(group.name())};
    if (leaf.name.empty()) return base::InvalidArgument("a pod group of the PodGang has no name");
    COPPICE_ASSIGN(leaf.min_available, RequireInt(group.Json()[key::grove::PodGroup::minReplicas],
                                                  leaf.name + ".minReplicas"));
    if (leaf.min_available <= 0) {
      return base::InvalidArgument(leaf.name + ".minReplicas is not positive");
    }
    if (!group.has_podReferences()) {
      return base::InvalidArgument(leaf.name + ".podReferences is missing");
    }
    COPPICE_ASSIGN(leaf.pods, References(group));
    COPPICE_ASSIGN(leaf.topology, PackConstraint(group.topologyConstraint(), topology, leaf.name));
    if (auto parent = parent_of.find(leaf.name); parent != parent_of.end()) {
      leaf.parent = parent->second;
    }
    metadata.min_available += leaf.min_available;
    metadata.sub_groups.push_back(std::move(leaf));
    return {};
  }

  base::Status Read() {
    COPPICE_TRY(ReadParents());
    metadata.min_available = 0;
    for (const view::grove::PodGroup group : gang.spec().podgroups()) {
      COPPICE_TRY(ReadLeaf(group));
    }
    return {};
  }
};

}  // namespace

base::Result<Metadata> GroupGrove(const Context& context, const Workload& workload) {
  COPPICE_ASSIGN(const json::Value object, PodGangOf(context, workload.pod));
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, object, workload.pod));
  const PodGang gang(object);
  const std::string topology = TopologyName(gang);
  COPPICE_ASSIGN(auto root, PackConstraint(gang.spec().topologyConstraint(), topology, "the gang"));
  if (root) metadata.topology = *root;
  if (gang.spec().has_priorityClassName()) {
    metadata.priority_class = gang.spec().priorityClassName();
  }
  COPPICE_TRY(ApplyTopOwner(workload.top_owner, metadata));
  COPPICE_TRY((GangReader{gang, topology, metadata, {}}.Read()));
  return metadata;
}

}  // namespace coppice::services::grouper
