#include "backends/kueue/workload.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/edit/kueue.h"
#include "api/foreign/names.h"
#include "api/key/core.h"
#include "api/view/core.h"
#include "api/view/scheduling.h"
#include "api/well_known.h"
#include "backends/framework/queue.h"
#include "backends/model/labels.h"
#include "backends/model/names.h"
#include "kube/object.h"

namespace coppice::backends::kueue {
namespace {

using json::Value;

constexpr size_t kMaxPodSets = 18;
constexpr std::string_view kJobUidLabel = api::foreign::kKueueJobUid;

// Kueue counts requests: a resource that only has a limit is requested at that limit.
void RequestLimits(Value& container) {
  const Value limits = view::core::Container(container).resources().limits().Json();
  for (const json::Member& limit : limits.Members()) {
    const edit::Map requests = edit::core::Container(container).resources().requests();
    requests.Json().SetDefault(limit.name(), limit.value);
  }
}

Value PodSpecOf(const PodGroupInfo& group) {
  Value spec = group.pod_spec;
  edit::core::PodSpec(spec).clear_schedulerName();
  using Key = key::core::PodSpec;
  for (const std::string_view list : {Key::containers, Key::initContainers}) {
    if (!spec.Has(list)) continue;
    for (Value& container : spec.Mutable(list).MutableItems()) RequestLimits(container);
  }
  return spec;
}

// How Kueue can keep the PodSets of a scope in one domain.
enum class Span {
  kAlone,  // One PodSet: use its own level.
  kPair,   // Two, one of them a single pod: as a PodSet group.
  kMany,   // Not at all: left to the scheduler behind Kueue.
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

base::Status SetPriority(const GangInput& input, edit::kueue::WorkloadSpec spec) {
  const std::string& name = input.gang.priority_class_name;
  if (name.empty()) return {};
  const auto priority_class = input.cluster->Get(api::kPriorityClasses, {"", name});
  if (!priority_class) {
    return base::Error(base::ErrorCode::kInvalid,
                       fmt::format("PriorityClass \"{}\" does not exist", name));
  }
  spec.set_priority(view::scheduling::PriorityClass(*priority_class).value());
  if (Version(input) == "v1beta1") {
    spec.set_priorityClassName(name);
    spec.set_priorityClassSource("scheduling.k8s.io/priorityclass");
  } else {
    spec.priorityClassRef()
        .set_group(api::kPriorityClasses.group)
        .set_kind(api::kPriorityClasses.kind)
        .set_name(name);
  }
  return {};
}

void AddPodSets(const GangInput& input, const Counts& counts, bool with_topology,
                edit::kueue::WorkloadSpec spec) {
  spec.set_podSets(Value::Array());
  for (const PodGroupInfo& group : input.gang.pod_groups) {
    const auto count = counts.find(group.name);
    if (count == counts.end() || count->second <= 0) continue;
    const edit::kueue::PodSet set = spec.add_podSets();
    set.set_name(ShortLabel(group.name)).set_count(count->second);
    set.template_().set_spec(PodSpecOf(group));
    Value request = with_topology ? TopologyRequest(input, group) : Value();
    if (!request.IsNull()) set.set_topologyRequest(std::move(request));
  }
}

// A group level inside a pair's level would give the two PodSets different requests.
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

// The narrowest required and preferred levels around a group.
struct Asked {
  std::string required;
  std::string preferred;
  std::string pair;  // The scope that two PodSets share; "" if none.
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

bool ByPodGroup(const GangInput& input) { return input.profile.Config().kueueMode() == "PodGroup"; }

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
  if (input.profile.Config().kueueTopology() != "Reject") return std::nullopt;
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
  Value request;
  const edit::kueue::PodSetTopologyRequest edit(request);
  if (asked.delegated) {
    edit.set_unconstrained(true);
    return request;
  }
  if (asked.required.empty() && asked.preferred.empty()) return request;
  edit.set_podIndexLabel(labels::kPodIndex);
  if (!asked.pair.empty()) edit.set_podSetGroupName(ShortLabel(asked.pair));
  // Only one of the two: packing within a required level already implies the preference.
  if (!asked.required.empty()) {
    edit.set_required(asked.required);
  } else {
    edit.set_preferred(asked.preferred);
  }
  return request;
}

base::Result<Value> MakeWorkload(const GangInput& input, const std::string& name,
                                 const Counts& counts) {
  Value object = kube::NewObject(Workloads(Version(input)), input.gang.ns, name);
  const edit::kueue::Workload edit(object);
  edit.metadata().labels().Set(kJobUidLabel, input.gang.uid);
  const edit::kueue::WorkloadSpec spec = edit.spec();
  spec.set_queueName(Queue(input).queue);
  AddPodSets(input, counts, name == WorkloadName(input), spec);
  if (const size_t sets = spec.podSets().size(); sets > kMaxPodSets) {
    return base::Error(
        base::ErrorCode::kInvalid,
        fmt::format("Kueue takes at most {} roles, the gang has {}", kMaxPodSets, sets));
  }
  COPPICE_TRY(SetPriority(input, spec));
  return object;
}

}  // namespace coppice::backends::kueue
