#include "backends/volcano/pod_group.h"

#include <fmt/format.h>

#include <map>

#include "api/edit/volcano.h"
#include "api/foreign/names.h"
#include "api/labels.h"
#include "api/view/volcano.h"
#include "backends/framework/pods.h"
#include "backends/framework/queue.h"
#include "backends/model/labels.h"
#include "backends/model/names.h"
#include "backends/model/requests.h"
#include "backends/volcano/tiers.h"
#include "backends/volcano/upstream_queue.h"
#include "backends/volcano/volcano.h"
#include "kube/object.h"

namespace coppice::backends::volcano {
namespace {

using json::Value;

// Appended to upstream's message.
constexpr char kQueueFix[] =
    "; mend that, or name another in annotation scheduling.grove.io/volcano-queue of the set";

base::Error QueueError(std::string message) {
  return base::Error(base::ErrorCode::kInvalid, std::move(message));
}

base::Status CheckQueue(const GangInput& input, const std::string& queue) {
  if (!input.cluster || !input.capabilities->Serves(kQueues)) return {};
  const auto object = input.cluster->Get(kQueues, {"", queue});
  const std::string fix = input.policy->SuggestsRemedies() ? kQueueFix : "";
  if (!object) return QueueError(fmt::format("volcano queue \"{}\" does not exist{}", queue, fix));
  if (view::volcano::Queue(*object).status().state() == "Open") return {};
  return QueueError(fmt::format("volcano queue \"{}\" is not Open{}", queue, fix));
}

Expressiveness ExpressivenessOf(const GangInput& input, const Scope& scope, bool required) {
  const bool hostname = scope.wishes.required == api::labels::kHostname;
  if (scope.kind != ScopeKind::kGang && !HasSubGroups(input)) return Expressiveness::kNone;
  if (scope.kind == ScopeKind::kGroup) {
    // The first matching policy wins, so a group inside a config with its own constraint cannot
    // have one.
    const TopologyGroupConfig* config = input.gang.ConfigOf(scope.name);
    if (config != nullptr && !config->topology.empty()) return Expressiveness::kNone;
  }
  if (required) return hostname ? Expressiveness::kNone : Expressiveness::kNative;
  if (scope.kind == ScopeKind::kGang && !scope.wishes.required.empty()) {
    return Expressiveness::kImplied;
  }
  return Expressiveness::kApproximated;
}

class SpecMaker {
 public:
  SpecMaker(const GangInput& input, const TopologyPlan& plan) : input_(input), plan_(plan) {}

  PodGroupSpec Make(const std::string& queue) {
    Spec().set_minMember(std::max<int64_t>(1, Total())).set_queue(queue);
    if (!input_.gang.priority_class_name.empty()) {
      Spec().set_priorityClassName(input_.gang.priority_class_name);
    }
    SetTopology(plan_.Native(ScopeKind::kGang, input_.gang.name), "spec", Spec());
    if (HasSubGroups(input_)) {
      SetPolicies();
    } else {
      for (const PodGroupInfo& group : input_.gang.pod_groups) SetTaskMinimum(group);
      TellOfNoSubGroups();
    }
    if (input_.policy->SetsVolcanoMinResources()) SetResources();
    return std::move(made_);
  }

 private:
  edit::volcano::PodGroupSpec Spec() { return edit::volcano::PodGroupSpec(made_.spec); }

  // Volcano does not kill gangs, so a released minimum may stay.
  int64_t Minimum(const PodGroupInfo& group) const { return group.LastMinimum(); }

  int64_t Total() const {
    int64_t total = 0;
    for (const PodGroupInfo& group : input_.gang.pod_groups) total += Minimum(group);
    return total;
  }

  // Of the whole group, or of one policy.
  template <typename Owner>
  void SetTopology(const PackConstraint& wishes, const std::string& path, Owner owner) {
    if (wishes.required.empty()) {
      if (!wishes.preferred.empty()) owner.networkTopology().set_mode("soft");
      return;
    }
    const auto hard = HardTopology(input_, wishes.required);
    if (hard) {
      owner.set_networkTopology(*hard);
    } else if (!made_.refusal) {
      made_.refusal = Refusal{std::string(reasons::kTopologyUnresolved), path,
                              fmt::format("no HyperNode has tier \"{}\"", wishes.required)};
    }
  }

  void SetTaskMinimum(const PodGroupInfo& group) {
    if (Minimum(group) == 0) return;
    Spec().minTaskMember().Set(group.name, Minimum(group));
  }

  // The minimums still hold. The event on the CRD reports it once for all gangs.
  void TellOfNoSubGroups() {
    if (input_.gang.pod_groups.size() < 2) return;
    made_.outcomes.push_back({Outcome::Kind::kApproximated, "spec.podgroups", "sub-groups",
                              "minTaskMember, for Volcano is older than 1.14", /*quiet=*/true});
  }

  void SetPolicies() {
    AddConfigPolicies();
    for (const PodGroupInfo& group : input_.gang.pod_groups) {
      if (input_.gang.ConfigOf(group.name) != nullptr && input_.policy->GroupsVolcanoRoles()) {
        SetTaskMinimum(group);
        continue;
      }
      if (Minimum(group) == 0 && input_.policy->OmitsVolcanoRolesWithoutMinimum()) continue;
      AddPolicy(group);
    }
  }

  void AddPolicy(const PodGroupInfo& group) {
    const edit::volcano::SubGroupPolicy policy = Spec().add_subGroupPolicy();
    policy.set_name(group.name)
        .set_matchLabelKeys(Value::Array({labels::kPodClique}))
        .set_subGroupSize(std::max<int64_t>(1, Minimum(group)))
        .set_minSubGroups(1);
    policy.labelSelector().matchLabels().Set(labels::kPodClique, group.name);
    SetTopology(plan_.Native(ScopeKind::kGroup, group.name), "spec.podgroups", policy);
  }

  // The configs of one scaling group have the same shape and share a policy.
  void AddConfigPolicies() {
    if (!input_.policy->GroupsVolcanoRoles()) return;
    std::map<std::string, std::vector<const TopologyGroupConfig*>> by_group;
    for (const TopologyGroupConfig& config : input_.gang.group_configs) {
      if (config.pod_group_names.empty()) continue;
      const PodGroupInfo* first = input_.gang.FindGroup(config.pod_group_names.front());
      by_group[first->scaling_group].push_back(&config);
    }
    for (const auto& [scaling_group, configs] : by_group) {
      AddConfigPolicy(scaling_group, configs);
    }
  }

  void AddConfigPolicy(const std::string& scaling_group,
                       const std::vector<const TopologyGroupConfig*>& configs) {
    int64_t size = 0;
    for (const std::string& name : configs.front()->pod_group_names) {
      size += Minimum(*input_.gang.FindGroup(name));
    }
    const edit::volcano::SubGroupPolicy policy = Spec().add_subGroupPolicy();
    policy.set_name(scaling_group)
        .set_matchLabelKeys(Value::Array({labels::kScalingGroupReplica}))
        .set_subGroupSize(std::max<int64_t>(1, size))
        .set_minSubGroups(static_cast<int64_t>(configs.size()));
    policy.labelSelector().matchLabels().Set(labels::kScalingGroup, scaling_group);
    SetTopology(plan_.Native(ScopeKind::kConfig, configs.front()->name),
                "spec.topologyConstraintGroupConfigs", policy);
  }

  void SetResources() {
    PodGangInfo gang = input_.gang;
    for (PodGroupInfo& group : gang.pod_groups) group.min_replicas = Minimum(group);
    if (const auto resources = MinResources(gang); resources && !resources->empty()) {
      Spec().set_minResources(ToJson(*resources));
    }
    for (size_t i = 0; i < gang.pod_groups.size(); ++i) {
      const PodGroupInfo& group = gang.pod_groups[i];
      if (group.min_replicas == 0 || !group.pod_spec.IsObject()) continue;
      if (!EffectiveRequests(group.pod_spec).empty()) continue;
      made_.outcomes.push_back({Outcome::Kind::kApproximated, fmt::format("spec.podgroups[{}]", i),
                                group.name, "pods without requests are placed outside the gang"});
    }
  }

  const GangInput& input_;
  const TopologyPlan& plan_;
  PodGroupSpec made_;
};

}  // namespace

bool HasSubGroups(const GangInput& input) {
  return input.capabilities->HasField(kPodGroups, kSubGroupField);
}

base::Result<std::string> Queue(const GangInput& input) {
  if (input.policy->ResolvesVolcanoQueueByClique() && input.set.IsObject()) {
    COPPICE_ASSIGN(std::string queue, UpstreamQueue(input.set));
    COPPICE_TRY(CheckQueue(input, queue));
    return queue;
  }
  std::vector<QueueKey> keys = {{false, kQueueAnnotation}};
  if (input.policy->HonorsVolcanoQueueName()) {
    keys.push_back({false, api::foreign::kVolcanoQueueName});
  }
  const QueueAnswer answer = ResolveQueue(input, keys);
  if (!answer.conflicting.empty()) {
    return QueueError(fmt::format("conflicting volcano queues on PodCliqueSet {}: [{}]",
                                  SetName(input), fmt::join(answer.conflicting, " ")));
  }
  const std::string queue = answer.queue.empty() ? "default" : answer.queue;
  COPPICE_TRY(CheckQueue(input, queue));
  return queue;
}

TopologyPlan PlanFor(const GangInput& input) {
  return PlanTopology(input, {.expressiveness = [&](const Scope& scope, bool required) {
                        return ExpressivenessOf(input, scope, required);
                      }});
}

PodGroupSpec MakeSpec(const GangInput& input, const TopologyPlan& plan, const std::string& queue) {
  return SpecMaker(input, plan).Make(queue);
}

}  // namespace coppice::backends::volcano
