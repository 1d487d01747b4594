#include "backends/kai/pod_group.h"

#include <fmt/format.h>

#include "api/edit/kai.h"
#include "api/key/kai.h"
#include "api/well_known.h"
#include "backends/framework/pods.h"
#include "backends/framework/queue.h"
#include "backends/kai/kai.h"
#include "backends/model/names.h"
#include "kube/object.h"

namespace coppice::backends::kai {
namespace {

using json::Value;

base::Error QueueError(std::string message) {
  return base::Error(base::ErrorCode::kInvalid, std::move(message));
}

bool IsReleased(const PodGroupInfo& group) {
  return group.min_replicas == 0 && group.template_min_replicas > 0;
}

bool HasField(const GangInput& input, std::string_view field) {
  return input.capabilities->HasField(api::kPodGroups,
                                      fmt::format("{}.{}", key::kai::PodGroup::spec, field));
}

// A released minimum is kept if KAI can be told not to evict gangs that fall below it.
int64_t Minimum(const GangInput& input, const PodGroupInfo& group) {
  const bool keep = input.policy->KeepsReleasedMinimum() && IsReleased(group) &&
                    HasField(input, key::kai::PodGroupSpec::stalenessGracePeriod);
  return keep ? group.template_min_replicas : group.min_replicas;
}

bool AnyReleased(const GangInput& input) {
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    if (IsReleased(group)) return true;
  }
  return false;
}

// Of the whole group, or of one of its sub-groups.
template <typename Owner>
void SetConstraint(const std::string& topology, const PackConstraint& wishes, Owner owner) {
  if (wishes.empty()) return;
  const edit::kai::GroupTopologyConstraint constraint = owner.topologyConstraint();
  constraint.set_topology(topology);
  if (!wishes.required.empty()) constraint.set_requiredTopologyLevel(wishes.required);
  if (!wishes.preferred.empty()) constraint.set_preferredTopologyLevel(wishes.preferred);
}

void AddSubGroups(const GangInput& input, const TopologyPlan& plan, edit::kai::PodGroupSpec spec) {
  const std::string topology = TopologyName(input);
  spec.set_subGroups(Value::Array());
  for (const TopologyGroupConfig& config : input.gang.group_configs) {
    if (config.pod_group_names.empty()) continue;
    const edit::kai::SubGroup node = spec.add_subGroups();
    node.set_name(SubGroupName(input, config.name));
    node.set_minSubGroup(static_cast<int64_t>(config.pod_group_names.size()));
    SetConstraint(topology, plan.Native(ScopeKind::kConfig, config.name), node);
  }
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    const edit::kai::SubGroup leaf = spec.add_subGroups();
    leaf.set_name(SubGroupName(input, group.name)).set_minMember(Minimum(input, group));
    SetConstraint(topology, plan.Native(ScopeKind::kGroup, group.name), leaf);
    if (const TopologyGroupConfig* config = input.gang.ConfigOf(group.name)) {
      leaf.set_parent(SubGroupName(input, config->name));
    }
  }
}

void SetOption(const GangInput& input, std::string_view field, std::string_view value,
               edit::kai::PodGroupSpec spec) {
  if (value.empty() || !input.policy->SetsOptionalPodGroupFields()) return;
  if (HasField(input, field)) spec.Json().Set(field, value);
}

void SetOptions(const GangInput& input, edit::kai::PodGroupSpec spec) {
  using Key = key::kai::PodGroupSpec;
  const PodGangInfo& gang = input.gang;
  SetOption(input, Key::preemptibility, gang.labels[kPreemptibility].AsString(), spec);
  SetOption(input, Key::preemptionDelay, gang.annotations[kPreemptionDelay].AsString(), spec);
  const std::string_view off = AnyReleased(input) ? "-1s" : "";
  SetOption(input, Key::stalenessGracePeriod, gang.annotations[kStalenessGrace].AsString(off),
            spec);
}

}  // namespace

base::Result<std::string> Queue(const GangInput& input) {
  const QueueAnswer answer = ResolveQueue(input, {{true, kQueueKey}, {false, kQueueKey}});
  if (!answer.clique.empty()) {
    return QueueError(
        fmt::format("KAI queue on PodCliqueSet {} is \"{}\" but PodClique template "
                    "\"{}\" resolves to \"{}\"",
                    SetName(input), answer.of_set, answer.clique, answer.of_clique));
  }
  if (!answer.conflicting.empty()) {
    return QueueError(
        fmt::format("conflicting KAI queues on PodCliqueSet {} PodClique templates: "
                    "[{}]",
                    SetName(input), fmt::join(answer.conflicting, " ")));
  }
  if (!answer.queue.empty()) return answer.queue;
  if (!input.policy->HasDefaultQueue()) {
    return QueueError(
        fmt::format("no KAI queue is configured on PodCliqueSet {} or its PodClique "
                    "templates",
                    SetName(input)));
  }
  return std::string(Or(input.profile.Config().defaultQueue(), "default-queue"));
}

base::Result<std::string> PodGroupName(const GangInput& input) {
  const std::string wanted =
      input.policy->PodGroupNamesHaveUid()
          ? Short(fmt::format("pg-{}-{}", input.gang.name, input.gang.uid), kObjectNameLimit)
          : input.gang.name;
  return ChooseName(input, api::kPodGroups, wanted, kPodGroupName);
}

std::string SubGroupName(const GangInput& input, std::string_view group) {
  return input.policy->ShortensSubGroupNames() ? ShortLabel(group) : std::string(group);
}

std::string TopologyName(const GangInput& input) {
  if (input.policy->FollowsTopologyReferences()) {
    std::string reference = TopologyReference(input.topology_binding, kSchedulerName);
    if (!reference.empty()) return reference;
  }
  return input.gang.topology_name;
}

Value PodGroupSpec(const GangInput& input, const TopologyPlan& plan, const std::string& queue) {
  int64_t total = 0;
  for (const PodGroupInfo& group : input.gang.pod_groups) total += Minimum(input, group);
  Value made;
  const edit::kai::PodGroupSpec spec(made);
  spec.set_minMember(total).set_queue(queue);
  if (!input.gang.priority_class_name.empty()) {
    spec.set_priorityClassName(input.gang.priority_class_name);
  }
  SetConstraint(TopologyName(input), plan.Native(ScopeKind::kGang, input.gang.name), spec);
  SetOptions(input, spec);
  AddSubGroups(input, plan, spec);
  return made;
}

}  // namespace coppice::backends::kai
