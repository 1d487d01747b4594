#include "backends/kueue/workload.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "backends/framework/queue.h"
#include "backends/model/labels.h"
#include "backends/model/names.h"
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

// How Kueue can keep the PodSets of a scope in one domain.
enum class Span {
  kAlone,  // There is one: the level is its own.
  kPair,   // Two, of which one is a single pod: as a PodSet group.
  kMany,   // Not at all: that is for the scheduler behind.
};

Span SpanOf(const GangInput& input, const Scope& scope) {
  size_t sets = 0;
  bool single = false;
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    if (group.LastMinimum() == 0 || !Covers(input.gang, scope, group.name)) continue;
    ++sets;
    single |= group.LastMinimum() == 1;
  }
  if (sets <= 1) return Span::kAlone;
  return sets == 2 && single ? Span::kPair : Span::kMany;
}

bool SpansMany(const GangInput& input, const Scope& scope) {
  return !scope.wishes.required.empty() && SpanOf(input, scope) == Span::kMany;
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

Value PodSets(const GangInput& input, const Counts& counts, bool with_topology) {
  Value sets = Value::Array();
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    const auto count = counts.find(group.name);
    if (count == counts.end() || count->second <= 0) continue;
    Value set = Value::Object({{"name", ShortLabel(group.name)},
                               {"count", count->second},
                               {"template", Template(group)}});
    Value request = with_topology ? TopologyRequest(input, group) : Value();
    if (!request.IsNull()) set.Set("topologyRequest", std::move(request));
    sets.Append(std::move(set));
  }
  return sets;
}

// A group level inside a pair's would ask the two for different things.
bool IsUniform(const GangInput& input, const Scope& pair) {
  for (const Scope& scope : ConstrainedScopes(input, nullptr)) {
    if (scope.name == pair.name) continue;
    if (scope.wishes.required.empty() && !pair.wishes.required.empty()) continue;
    for (const PodGroupInfo& group : input.gang.pod_groups) {
      if (Covers(input.gang, pair, group.name) && Covers(input.gang, scope, group.name)) {
        return false;
      }
    }
  }
  return true;
}

// The narrowest level that each strength asks for around a group.
struct Asked {
  std::string required;
  std::string preferred;
  std::string pair;  // The scope that two PodSets share; "" without.
  bool delegated = false;
};

Asked AskedFor(const GangInput& input, const PodGroupInfo& group) {
  Asked asked;
  for (const Scope& scope : ConstrainedScopes(input, nullptr)) {
    if (!Covers(input.gang, scope, group.name)) continue;
    const Span span = SpanOf(input, scope);
    const bool pair = span == Span::kPair && IsUniform(input, scope);
    if (span != Span::kAlone && !pair) {
      asked.delegated |= !scope.wishes.required.empty();
      continue;
    }
    if (!scope.wishes.required.empty()) asked.required = scope.wishes.required;
    if (!scope.wishes.preferred.empty()) asked.preferred = scope.wishes.preferred;
    if (pair) asked.pair = scope.name;
  }
  return asked;
}

}  // namespace

bool ByPodGroup(const GangInput& input) {
  return input.profile.options["kueueMode"].AsString() == "PodGroup";
}

std::string Version(const GangInput& input) {
  for (const std::string version : {"v1beta2", "v1beta1"}) {
    if (input.capabilities->Serves(Workloads(version))) return version;
  }
  return {};
}

QueueAnswer Queue(const GangInput& input) { return ResolveQueue(input, {{true, kQueueLabel}}); }

std::string WorkloadName(const GangInput& input) {
  return Short(fmt::format("podgang-{}", input.gang.name), kObjectNameLimit);
}

Counts CoreCounts(const GangInput& input) {
  Counts counts;
  for (const PodGroupInfo& group : input.gang.pod_groups) counts[group.name] = group.LastMinimum();
  return counts;
}

std::optional<Refusal> CheckTopology(const GangInput& input) {
  if (input.profile.options["kueueTopology"].AsString("Delegate") != "Reject") return std::nullopt;
  for (const Scope& scope : ConstrainedScopes(input, nullptr)) {
    if (!SpansMany(input, scope)) continue;
    return Refusal{std::string(reasons::kCapabilityMissing), scope.path + ".required",
                   "Kueue cannot keep several PodSets in one domain; config.kueueTopology: "
                   "Delegate leaves topology to the scheduler behind it"};
  }
  return std::nullopt;
}

Value TopologyRequest(const GangInput& input, const PodGroupInfo& group) {
  const Asked asked = AskedFor(input, group);
  if (asked.delegated) return Value::Object({{"unconstrained", true}});
  if (asked.required.empty() && asked.preferred.empty()) return {};
  Value request = Value::Object({{"podIndexLabel", labels::kPodIndex}});
  if (!asked.pair.empty()) request.Set("podSetGroupName", ShortLabel(asked.pair));
  // One of the two: a preference inside a required level is what packing does anyway.
  if (!asked.required.empty()) {
    request.Set("required", asked.required);
  } else {
    request.Set("preferred", asked.preferred);
  }
  return request;
}

base::Result<Value> MakeWorkload(const GangInput& input, const std::string& name,
                                 const Counts& counts) {
  Value sets = PodSets(input, counts, name == WorkloadName(input));
  if (sets.size() > kMaxPodSets) {
    return base::Error(
        base::ErrorCode::kInvalid,
        fmt::format("Kueue takes at most {} roles, the gang has {}", kMaxPodSets, sets.size()));
  }
  Value spec = Value::Object({{"queueName", Queue(input).queue}, {"podSets", sets}});
  COPPICE_TRY(SetPriority(input, spec));
  Value object = kube::NewObject(Workloads(Version(input)), input.gang.ns, name);
  object.Mutable("metadata")
      .Set("labels", Value::Object({{"kueue.x-k8s.io/job-uid", input.gang.uid}}));
  object.Set("spec", std::move(spec));
  return object;
}

}  // namespace coppice::backends::kueue
