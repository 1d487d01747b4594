#include <fmt/format.h>

#include "kube/object.h"
#include "services/grouper/default_grouper.h"
#include "services/grouper/families.h"
#include "services/grouper/values.h"
#include "services/names.h"

// PodGangs of a Grove whose own KAI backend is off (spec/services.md 3.10 B).
namespace coppice::services::grouper {
namespace {

base::Result<json::Value> PodGangOf(const Context& context, const json::Value& pod) {
  const std::string_view name = kube::Label(pod, names::kPodGangLabel);
  if (name.empty()) {
    return base::InvalidArgument(fmt::format("the pod lacks the label {}", names::kPodGangLabel));
  }
  return context.lookup.Get("scheduler.grove.io/v1alpha1", "PodGang", kube::Namespace(pod), name);
}

std::string TopologyName(const json::Value& gang) {
  const json::Value* grove = FindAnnotation(gang, names::kGroveTopology);
  return grove ? grove->ToString() : std::string(kube::Annotation(gang, names::kTopology));
}

base::Result<std::optional<TopologyConstraint>> PackConstraint(const json::Value& constraint,
                                                               const std::string& topology,
                                                               std::string_view where) {
  const json::Value& pack = constraint["packConstraint"];
  TopologyConstraint out{topology, pack["required"].ToString(), pack["preferred"].ToString()};
  if (!out.HasLevel()) return std::optional<TopologyConstraint>();
  if (topology.empty()) {
    return base::InvalidArgument(
        fmt::format("{} has a topology constraint, but the PodGang names no topology", where));
  }
  return std::optional(std::move(out));
}

void MergeWhereAbsent(const json::Value& from, StringMap& into) {
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
  MergeWhereAbsent(owner["metadata"]["labels"], metadata.labels);
  MergeWhereAbsent(owner["metadata"]["annotations"], metadata.annotations);
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
  const json::Value& gang;
  const json::Value& pod;
  std::string topology;
  Metadata& metadata;
  StringMap parent_of;  // Of a pod group, by its name.

  base::Status ReadParents() {
    for (const json::Value& config : gang["spec"]["topologyConstraintGroupConfigs"].Items()) {
      if (!config.Has("name")) {
        return base::InvalidArgument("a group config of the PodGang has no name");
      }
      if (config["podGroupNames"].empty()) continue;
      const std::string name = config["name"].ToString();
      COPPICE_ASSIGN(auto constraint, PackConstraint(config["topologyConstraint"], topology, name));
      metadata.sub_groups.push_back(
          {.name = name,
           .min_sub_group = static_cast<int64_t>(config["podGroupNames"].size()),
           .topology = std::move(constraint)});
      for (const json::Value& member : config["podGroupNames"].Items()) {
        parent_of[member.ToString()] = name;
      }
    }
    return {};
  }

  base::Result<std::vector<std::string>> References(const json::Value& group) {
    std::vector<std::string> pods;
    for (const json::Value& reference : group["podReferences"].Items()) {
      const std::string_view ns = reference["namespace"].AsString();
      if (ns != kube::Namespace(gang)) {
        return base::InvalidArgument(fmt::format("pod group {} refers to pods of namespace {}",
                                                 group["name"].AsString(), ns));
      }
      if (reference["name"].AsString().empty()) {
        return base::InvalidArgument(
            fmt::format("pod group {} refers to a pod without a name", group["name"].AsString()));
      }
      pods.push_back(reference["name"].ToString());
    }
    return pods;
  }

  base::Status ReadLeaf(const json::Value& group) {
    SubGroup leaf{.name = group["name"].ToString()};
    if (leaf.name.empty()) return base::InvalidArgument("a pod group of the PodGang has no name");
    COPPICE_ASSIGN(leaf.min_available,
                   RequireInt(group["minReplicas"], leaf.name + ".minReplicas"));
    if (leaf.min_available <= 0) {
      return base::InvalidArgument(leaf.name + ".minReplicas is not positive");
    }
    if (!group.Has("podReferences")) {
      return base::InvalidArgument(leaf.name + ".podReferences is missing");
    }
    COPPICE_ASSIGN(leaf.pods, References(group));
    COPPICE_ASSIGN(leaf.topology, PackConstraint(group["topologyConstraint"], topology, leaf.name));
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
    for (const json::Value& group : gang["spec"]["podgroups"].Items()) {
      COPPICE_TRY(ReadLeaf(group));
    }
    return {};
  }
};

}  // namespace

base::Result<Metadata> GroupGrove(const Context& context, const Workload& workload) {
  COPPICE_ASSIGN(const json::Value gang, PodGangOf(context, workload.pod));
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, gang, workload.pod));
  const std::string topology = TopologyName(gang);
  COPPICE_ASSIGN(auto root,
                 PackConstraint(gang["spec"]["topologyConstraint"], topology, "the gang"));
  if (root) metadata.topology = *root;
  if (const json::Value* priority = gang["spec"].Find("priorityClassName")) {
    metadata.priority_class = priority->ToString();
  }
  COPPICE_TRY(ApplyTopOwner(workload.top_owner, metadata));
  COPPICE_TRY((GangReader{gang, workload.pod, topology, metadata, {}}.Read()));
  return metadata;
}

}  // namespace coppice::services::grouper
