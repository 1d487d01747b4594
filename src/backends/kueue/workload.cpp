#include "backends/kueue/workload.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "backends/labels.h"
#include "backends/names.h"
#include "backends/queue.h"
#include "kube/object.h"

namespace coppice::backends::kueue {
namespace {

using json::Value;

constexpr size_t kMaxPodSets = 18;

// Kueue counts requests: what has only a limit is requested at that limit.
Value Template(const PodGroupInfo& group) {
  Value spec = group.pod_spec;
  spec.Erase("schedulerName");
  for (const std::string_view list : {"containers", "initContainers"}) {
    if (!spec.Has(list)) continue;
    for (Value& container : spec.Mutable(list).MutableItems()) {
      const Value limits = container["resources"]["limits"];
      for (const json::Member& limit : limits.Members()) {
        container.Mutable("resources").Mutable("requests").SetDefault(limit.name(), limit.value);
      }
    }
  }
  return Value::Object({{"spec", std::move(spec)}});
}

size_t PodSetCount(const GangInput& input) {
  size_t count = 0;
  for (const PodGroupInfo& group : input.gang.pod_groups) count += group.LastMinimum() > 0;
  return count;
}

base::Status SetPriority(const GangInput& input, Value& spec) {
  const std::string& name = input.gang.priority_class_name;
  if (name.empty()) return {};
  const auto priority_class = input.cluster->Get(api::kPriorityClasses, {"", name});
  if (!priority_class) {
    return base::Error(base::ErrorCode::kInvalid,
                       fmt::format("PriorityClass \"{}\" does not exist", name));
  }
  spec.Set("priority", (*priority_class)["value"].AsInt());
  if (Version(input) == "v1beta1") {
    spec.Set("priorityClassName", name);
    spec.Set("priorityClassSource", "scheduling.k8s.io/priorityclass");
  } else {
    spec.Set(
        "priorityClassRef",
        Value::Object({{"group", "scheduling.k8s.io"}, {"kind", "PriorityClass"}, {"name", name}}));
  }
  return {};
}

Value PodSets(const GangInput& input, bool surplus) {
  Value sets = Value::Array();
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    const int64_t minimum = group.LastMinimum();
    const int64_t count = surplus ? group.replicas - minimum : minimum;
    if (count <= 0 || minimum == 0) continue;
    Value set = Value::Object(
        {{"name", ShortLabel(group.name)}, {"count", count}, {"template", Template(group)}});
    Value request = surplus ? Value() : TopologyRequest(input, group);
    if (!request.IsNull()) set.Set("topologyRequest", std::move(request));
    sets.Append(std::move(set));
  }
  return sets;
}

bool Constrained(const GangInput& input) { return !ConstrainedScopes(input, nullptr).empty(); }

}  // namespace

std::string Version(const GangInput& input) {
  for (const std::string version : {"v1beta2", "v1beta1"}) {
    if (input.capabilities->Serves(Workloads(version))) return version;
  }
  return {};
}

std::string WorkloadName(const GangInput& input, bool surplus) {
  return Short(fmt::format("podgang-{}{}", input.gang.name, surplus ? "-surplus" : ""),
               kObjectNameLimit);
}

std::optional<Refusal> CheckTopology(const GangInput& input) {
  if (PodSetCount(input) <= 1 || input.gang.topology.required.empty()) return std::nullopt;
  if (input.profile.options["kueueTopology"].AsString("Delegate") != "Reject") return std::nullopt;
  return Refusal{std::string(reasons::kCapabilityMissing),
                 "spec.topologyConstraint.packConstraint.required",
                 "Kueue cannot keep several PodSets in one domain; config.kueueTopology: Delegate "
                 "leaves topology to the scheduler behind it"};
}

Value TopologyRequest(const GangInput& input, const PodGroupInfo& group) {
  if (!Constrained(input)) return {};
  const bool single = PodSetCount(input) == 1;
  // A level that spans PodSets is for the scheduler behind.
  if (!single && !input.gang.topology.required.empty()) {
    return Value::Object({{"unconstrained", true}});
  }
  std::string required = group.topology.required;
  std::string preferred = group.topology.preferred;
  if (single && required.empty()) required = input.gang.topology.required;
  if (single && preferred.empty()) preferred = input.gang.topology.preferred;
  if (required.empty() && preferred.empty()) return {};
  Value request = Value::Object({{"podIndexLabel", labels::kPodIndex}});
  // One of the two: a preference inside a required level is what packing does anyway.
  if (!required.empty()) {
    request.Set("required", required);
  } else {
    request.Set("preferred", preferred);
  }
  return request;
}

base::Result<Value> MakeWorkload(const GangInput& input, bool surplus) {
  Value sets = PodSets(input, surplus);
  if (sets.size() > kMaxPodSets) {
    return base::Error(
        base::ErrorCode::kInvalid,
        fmt::format("Kueue takes at most {} roles, the gang has {}", kMaxPodSets, sets.size()));
  }
  Value spec = Value::Object(
      {{"queueName", ResolveQueue(input, {{true, kQueueLabel}}).queue}, {"podSets", sets}});
  COPPICE_TRY(SetPriority(input, spec));
  Value object =
      kube::NewObject(Workloads(Version(input)), input.gang.ns, WorkloadName(input, surplus));
  object.Mutable("metadata")
      .Set("labels", Value::Object({{"kueue.x-k8s.io/job-uid", input.gang.uid}}));
  object.Set("spec", std::move(spec));
  return object;
}

}  // namespace coppice::backends::kueue
