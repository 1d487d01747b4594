#include "backends/kai/pod_group.h"

#include <fmt/format.h>

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

// A released minimum is kept where KAI can be told not to evict gangs that fall below it.
int64_t Minimum(const GangInput& input, const PodGroupInfo& group) {
  const bool keep = input.policy->KeepsReleasedMinimum() && IsReleased(group) &&
                    input.capabilities->HasField(api::kPodGroups, "spec.stalenessGracePeriod");
  return keep ? group.template_min_replicas : group.min_replicas;
}

bool AnyReleased(const GangInput& input) {
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    if (IsReleased(group)) return true;
  }
  return false;
}

void SetConstraint(const std::string& topology, const TopologyConstraint& wishes, Value& owner) {
  if (wishes.empty()) return;
  Value constraint = Value::Object({{"topology", topology}});
  if (!wishes.required.empty()) constraint.Set("requiredTopologyLevel", wishes.required);
  if (!wishes.preferred.empty()) constraint.Set("preferredTopologyLevel", wishes.preferred);
  owner.Set("topologyConstraint", std::move(constraint));
}

Value SubGroups(const GangInput& input, const TopologyPlan& plan) {
  const std::string topology = TopologyName(input);
  Value groups = Value::Array();
  for (const TopologyGroupConfig& config : input.gang.group_configs) {
    if (config.pod_group_names.empty()) continue;
    Value node = Value::Object({{"name", SubGroupName(input, config.name)},
                                {"minSubGroup", config.pod_group_names.size()}});
    SetConstraint(topology, plan.Native(ScopeKind::kConfig, config.name), node);
    groups.Append(std::move(node));
  }
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    Value leaf = Value::Object(
        {{"name", SubGroupName(input, group.name)}, {"minMember", Minimum(input, group)}});
    SetConstraint(topology, plan.Native(ScopeKind::kGroup, group.name), leaf);
    if (const TopologyGroupConfig* config = input.gang.ConfigOf(group.name)) {
      leaf.Set("parent", SubGroupName(input, config->name));
    }
    groups.Append(std::move(leaf));
  }
  return groups;
}

void SetOption(const GangInput& input, std::string_view field, std::string_view value,
               Value& spec) {
  if (value.empty() || !input.policy->SetsOptionalPodGroupFields()) return;
  if (input.capabilities->HasField(api::kPodGroups, fmt::format("spec.{}", field))) {
    spec.Set(field, value);
  }
}

void SetOptions(const GangInput& input, Value& spec) {
  const PodGangInfo& gang = input.gang;
  SetOption(input, "preemptibility", gang.labels[kPreemptibility].AsString(), spec);
  SetOption(input, "preemptionDelay", gang.annotations[kPreemptionDelay].AsString(), spec);
  const std::string_view off = AnyReleased(input) ? "-1s" : "";
  SetOption(input, "stalenessGracePeriod", gang.annotations[kStalenessGrace].AsString(off), spec);
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
  return input.profile.options["defaultQueue"].ToString("default-queue");
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
    for (const Value& bound : input.topology_binding["spec"]["schedulerTopologyBindings"].Items()) {
      if (bound["schedulerName"].AsString() == kSchedulerName) {
        return bound["topologyReference"].ToString();
      }
    }
  }
  return input.gang.topology_name;
}

Value PodGroupSpec(const GangInput& input, const TopologyPlan& plan, const std::string& queue) {
  int64_t total = 0;
  for (const PodGroupInfo& group : input.gang.pod_groups) total += Minimum(input, group);
  Value spec = Value::Object({{"minMember", total}, {"queue", queue}});
  if (!input.gang.priority_class_name.empty()) {
    spec.Set("priorityClassName", input.gang.priority_class_name);
  }
  SetConstraint(TopologyName(input), plan.Native(ScopeKind::kGang, input.gang.name), spec);
  SetOptions(input, spec);
  spec.Set("subGroups", SubGroups(input, plan));
  return spec;
}

}  // namespace coppice::backends::kai
