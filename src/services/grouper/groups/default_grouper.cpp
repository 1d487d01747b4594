#include "services/grouper/groups/default_grouper.h"

#include <fmt/format.h>

#include "api/view/core.h"
#include "base/log.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/grouper/groups/values.h"

namespace coppice::services::grouper {
namespace {

std::string TopOwnerYaml(const json::Value& owner) {
  const std::string_view version = Object(owner).apiVersion();
  return fmt::format("name: {}\nuid: {}\ngroup: {}\nversion: {}\nkind: {}\n",
                     YamlString(kube::Name(owner)), YamlString(kube::Uid(owner)),
                     YamlString(GroupOf(version)), YamlString(VersionOf(version)),
                     YamlString(kube::Kind(owner)));
}

StringMap Annotations(const json::Value& owner, const json::Value& pod) {
  StringMap annotations;
  if (const auto user = FindAnnotation(pod, names::kUserKey)) {
    annotations.emplace(names::kUserKey, *user);
  }
  annotations[std::string(names::kTopOwnerMetadata)] = TopOwnerYaml(owner);
  for (const auto& [key, value] : ReadMap(Object(owner).metadata().annotations())) {
    annotations[key] = value;
  }
  return annotations;
}

StringMap Labels(const json::Value& owner, const json::Value& pod) {
  StringMap labels = ReadMap(Object(owner).metadata().labels());
  if (const auto user = FindLabel(pod, names::kUserKey)) labels.emplace(names::kUserKey, *user);
  return labels;
}

// The first readable label of owners, then of the pod; an explicit empty one says "unset".
std::optional<std::string> PreemptibilityFromLabels(std::span<const json::Value> owners,
                                                    const json::Value& pod) {
  const auto read = [](const json::Value& object) -> std::optional<std::string> {
    const auto label = FindLabel(object, names::kPreemptibility);
    if (!label) return std::nullopt;
    if (label->empty() || !ParsePreemptibility(*label).empty()) return std::string(*label);
    base::LogWarn("ignoring an unknown preemptibility",
                  {{"object", kube::Name(object)}, {"value", *label}});
    return std::nullopt;
  };
  for (const json::Value& owner : owners) {
    if (auto found = read(owner)) return found;
  }
  return read(pod);
}

std::string ResolvePreemptibility(const Context& context, std::span<const json::Value> owners,
                                  const json::Value& pod) {
  if (auto found = PreemptibilityFromLabels(owners, pod)) return *found;
  for (const json::Value& owner : owners) {
    const TypeDefaults::Entry* entry =
        context.defaults.Find(Object(owner).apiVersion(), kube::Kind(owner));
    if (!entry) continue;
    const std::string_view parsed = ParsePreemptibility(entry->preemptibility);
    if (!parsed.empty()) return std::string(parsed);
  }
  return "";
}

std::optional<std::string> ResolveDuration(std::span<const json::Value> owners,
                                           const json::Value& pod, std::string_view key,
                                           bool allow_negative) {
  const auto read = [&](const json::Value& object) -> std::optional<std::string> {
    const auto text = FindAnnotation(object, key);
    if (!text) return std::nullopt;
    std::optional<std::string> duration = CanonicalGoDuration(*text);
    if (duration && (allow_negative || duration->front() != '-')) return duration;
    base::LogWarn("ignoring a malformed duration",
                  {{"object", kube::Name(object)}, {"annotation", key}, {"value", *text}});
    return std::nullopt;
  };
  for (const json::Value& owner : owners) {
    if (auto found = read(owner)) return found;
  }
  return read(pod);
}

base::Result<Metadata> MakeMetadata(const Context& context, const json::Value& top_owner,
                                    const json::Value& pod, std::span<const json::Value> owners,
                                    std::string_view fallback_class) {
  Metadata metadata;
  metadata.name = fmt::format("pg-{}-{}", kube::Name(top_owner), kube::Uid(top_owner));
  metadata.ns = kube::Namespace(pod);
  metadata.owner = ReferenceTo(top_owner);
  metadata.labels = Labels(top_owner, pod);
  metadata.annotations = Annotations(top_owner, pod);
  metadata.queue = ResolveQueue(context, top_owner, pod);
  COPPICE_ASSIGN(metadata.priority_class,
                 ResolvePriorityClass(context, owners, pod, fallback_class));
  metadata.preemptibility = ResolvePreemptibility(context, owners, pod);
  metadata.preemption_delay = ResolveDuration(owners, pod, names::kPreemptionDelay, false);
  metadata.staleness_grace_period =
      ResolveDuration(owners, pod, names::kStalenessGracePeriod, true);
  metadata.topology = TopologyOf(Object(top_owner).metadata().annotations());
  return metadata;
}

}  // namespace

std::string_view NamedPriorityClass(const json::Value& owner, const json::Value& pod) {
  if (const auto label = FindLabel(owner, names::kPriorityClassLabel)) return *label;
  if (const auto label = FindLabel(pod, names::kPriorityClassLabel)) return *label;
  return view::core::Pod(pod).spec().priorityClassName();
}

base::Result<bool> PriorityClassExists(const Context& context, std::string_view name) {
  if (name.empty()) return false;
  const base::Result<json::Value> found =
      context.lookup.Get(kPriorityClassVersion, "PriorityClass", "", name);
  if (found) return true;
  if (found.Is(base::ErrorCode::kNotFound)) return false;
  return found.error().During("looking up a priority class");
}

std::string_view ParsePreemptibility(std::string_view text) {
  return text == "preemptible" || text == "non-preemptible" ? text : std::string_view();
}

TopologyConstraint TopologyOf(TextMap annotations) {
  return {std::string(annotations[names::kTopology]),
          std::string(annotations[names::kTopologyRequired]),
          std::string(annotations[names::kTopologyPreferred])};
}

std::optional<TopologyConstraint> CompleteTopology(TextMap annotations) {
  TopologyConstraint constraint = TopologyOf(annotations);
  if (constraint.topology.empty() || !constraint.HasLevel()) return std::nullopt;
  return constraint;
}

base::Result<std::string> ResolvePriorityClass(const Context& context,
                                               std::span<const json::Value> owners,
                                               const json::Value& pod, std::string_view fallback) {
  for (const json::Value& owner : owners) {
    const std::string_view candidate = NamedPriorityClass(owner, pod);
    COPPICE_ASSIGN(const bool exists, PriorityClassExists(context, candidate));
    if (exists) return std::string(candidate);
  }
  for (const json::Value& owner : owners) {
    const TypeDefaults::Entry* entry =
        context.defaults.Find(Object(owner).apiVersion(), kube::Kind(owner));
    if (!entry) continue;
    COPPICE_ASSIGN(const bool exists, PriorityClassExists(context, entry->priority_class));
    if (exists) return entry->priority_class;
  }
  return std::string(fallback);
}

std::string ResolveQueue(const Context& context, const json::Value& owner, const json::Value& pod) {
  const std::string& key = context.options.queue_label_key;
  if (const auto label = FindLabel(owner, key)) return std::string(*label);
  if (const auto label = FindLabel(pod, key)) return std::string(*label);
  auto project = FindLabel(owner, names::kProjectLabel);
  if (!project) project = FindLabel(pod, names::kProjectLabel);
  if (!project || project->empty()) return std::string(names::kDefaultQueue);
  const std::string& pool_key = context.options.node_pool_label_key;
  const auto pool = pool_key.empty() ? std::nullopt : FindLabel(pod, pool_key);
  return pool ? fmt::format("{}-{}", *project, *pool) : std::string(*project);
}

base::Result<Metadata> GroupByDefault(const Context& context, const Workload& workload) {
  const std::span<const json::Value> owners =
      workload.owners.empty() ? std::span(&workload.top_owner, 1) : std::span(workload.owners);
  return MakeMetadata(context, workload.top_owner, workload.pod, owners, "train");
}

base::Result<Metadata> GroupByTopOwner(const Context& context, const json::Value& top_owner,
                                       const json::Value& pod, std::string_view fallback_class) {
  return MakeMetadata(context, top_owner, pod, std::span(&top_owner, 1), fallback_class);
}

}  // namespace coppice::services::grouper
