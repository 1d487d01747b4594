#include "backends/framework/pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "api/conditions.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "backends/framework/ladder.h"
#include "backends/model/labels.h"
#include "backends/model/names.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;
using view::core::Pod;

constexpr int kFormerNodeWeight = 30;
constexpr size_t kMaxFormerNodes = 64;

// The short role name, which is the same in the cliques of different gangs.
std::string_view RoleSuffix(std::string_view gang, std::string_view group) {
  return group.starts_with(gang) ? group.substr(gang.size()) : group;
}

std::set<std::string> FormerNodes(const GangInput& input, const PodGroupInfo& group) {
  const NamespacedName& former = *input.gang.reuse_reservation;
  std::set<std::string> all;
  std::set<std::string> leaving;
  for (const Value& pod : input.cluster->GangPods(former.ns, former.name)) {
    const std::string_view clique = kube::Label(pod, labels::kPodClique);
    if (RoleSuffix(former.name, clique) != RoleSuffix(input.gang.name, group.name)) continue;
    const std::string_view node = Pod(pod).spec().nodeName();
    if (node.empty() || all.size() >= kMaxFormerNodes) continue;
    all.emplace(node);
    if (!IsLive(pod)) leaving.emplace(node);
  }
  // A gang that reuses its own places: those of its terminating pods or, if they are already gone,
  // near the remaining ones.
  const bool own = former.name == input.gang.name;
  return own && !leaving.empty() ? leaving : all;
}

// The domain of the first bound pod in the scope; "" if none is bound.
std::string DomainOf(const GangInput& input, const Scope& scope, const std::string& key) {
  for (const Value& pod : input.cluster->GangPods(input.gang.ns, input.gang.name)) {
    if (!IsBound(pod) || !IsLive(pod)) continue;
    if (!Covers(input.gang, scope, kube::Label(pod, labels::kPodClique))) continue;
    const auto node =
        input.cluster->Get(api::kNodes, {"", std::string(Pod(pod).spec().nodeName())});
    if (!node) continue;
    const auto node_labels = view::core::Node(*node).metadata().labels();
    if (node_labels.Has(key)) return std::string(node_labels[key]);
  }
  return {};
}

bool HasValue(view::Map<std::string_view> entries, std::string_view name) {
  for (const auto& [key, value] : entries) {
    if (value == name && !key.starts_with(labels::kGroveDomain)) return true;
  }
  return false;
}

bool IsForeign(const GangInput& input, const api::Resource& resource, const std::string& name) {
  const auto object =
      input.cluster->Get(resource, {resource.namespaced ? input.gang.ns : std::string(), name});
  return object && !kube::IsOwnedBy(*object, input.gang.uid) && !IsLeftBehind(*object, input.gang);
}

}  // namespace

void PassLabels(const PodGangInfo& gang, std::initializer_list<std::string_view> keys,
                Value& object) {
  for (const std::string_view key : keys) {
    if (gang.labels.Has(key)) SetLabel(object, key, gang.labels[key]);
  }
}

void PassAnnotations(const PodGangInfo& gang, std::initializer_list<std::string_view> keys,
                     Value& object) {
  for (const std::string_view key : keys) {
    if (gang.annotations.Has(key)) SetAnnotation(object, key, gang.annotations[key]);
  }
}

bool IsSurplus(const PodGroupInfo& group, int64_t index) {
  return group.LastMinimum() > 0 && index >= group.LastMinimum();
}

int64_t PodIndex(const Value& pod) {
  const std::string_view text = kube::Label(pod, labels::kPodIndex);
  int64_t index = -1;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), index);
  return result.ptr == text.data() + text.size() && !text.empty() ? index : -1;
}

bool IsLive(const Value& pod) { return !kube::IsDeleting(pod) && !IsFinished(pod); }

bool IsFinished(const Value& pod) {
  const std::string_view phase = Pod(pod).status().phase();
  return phase == "Succeeded" || phase == "Failed";
}

bool IsBound(const Value& pod) { return !Pod(pod).spec().nodeName().empty(); }

bool IsReady(const Value& pod) {
  return kube::ConditionIs(pod, api::conditions::kPodReady, "True");
}

bool HasMinima(const PodGangInfo& gang, std::span<const Value> pods) {
  std::map<std::string, int64_t, std::less<>> healthy;
  for (const Value& pod : pods) {
    if (IsBound(pod) && IsLive(pod)) ++healthy[std::string(kube::Label(pod, labels::kPodClique))];
  }
  return std::all_of(gang.pod_groups.begin(), gang.pod_groups.end(),
                     [&](const auto& group) { return healthy[group.name] >= group.LastMinimum(); });
}

bool Stays(const ClusterView& cluster, const Value& pod) {
  const view::meta::OwnerReference owner(kube::ControllerOwner(pod));
  if (!IsLive(pod) || owner.kind() != api::kPodCliques.kind) return IsLive(pod);
  const auto clique =
      cluster.Get(api::kPodCliques, {std::string(kube::Namespace(pod)), std::string(owner.name())});
  return clique && kube::Uid(*clique) == owner.uid() && !kube::IsDeleting(*clique);
}

bool Mentions(const Value& object, std::string_view name) {
  const Pod pod(object);
  return pod.spec().workloadRef().name() == name ||
         pod.spec().schedulingGroup().podGroupName() == name ||
         HasValue(pod.metadata().labels(), name) || HasValue(pod.metadata().annotations(), name);
}

bool IsLeftBehind(const Value& object, const PodGangInfo& gang) {
  const view::meta::OwnerReference owner(kube::ControllerOwner(object));
  if (!owner) {
    return !kube::Annotation(object, labels::kAppliedHash).empty() &&
           kube::Label(object, labels::kPodGang) == Short(gang.name, kLabelValueLimit);
  }
  return owner.kind() == api::kPodGangs.kind && owner.name() == gang.name &&
         owner.uid() != gang.uid;
}

std::string SaidByPods(const GangInput& input, std::string_view key) {
  std::map<std::string, int, std::less<>> said;
  for (const Value& pod : input.cluster->GangPods(input.gang.ns, input.gang.name)) {
    if (!IsLive(pod)) continue;
    const std::string_view label = kube::Label(pod, key);
    const std::string_view value = label.empty() ? kube::Annotation(pod, key) : label;
    if (!value.empty()) ++said[std::string(value)];
  }
  const auto most = std::max_element(
      said.begin(), said.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == said.end() ? std::string() : most->first;
}

base::Result<const PodGroupInfo*> FindGroup(const GangInput& input, const PodSlot& slot) {
  if (const PodGroupInfo* group = input.gang.FindGroup(slot.group)) return group;
  return base::Error(base::ErrorCode::kInvalid,
                     fmt::format("gang {} has no pod group \"{}\"", input.gang.name, slot.group));
}

base::Result<std::string> ChooseName(const GangInput& input, const api::Resource& resource,
                                     const std::string& wanted, std::string_view pod_key) {
  if (!input.cluster || input.gang.uid.empty()) return wanted;
  const std::string second = Short(wanted + "-" + input.gang.uid.substr(0, 8), kObjectNameLimit);
  const std::vector<Value> owned = input.cluster->OwnedBy(resource, input.gang.uid);
  for (const Value& object : owned) {
    const std::string_view name = kube::Name(object);
    if (name == wanted || name == second) return std::string(name);
  }
  if (!pod_key.empty()) {
    if (owned.size() == 1) return std::string(kube::Name(owned.front()));
    const std::string known = SaidByPods(input, pod_key);
    if (!known.empty() && !IsForeign(input, resource, known)) return known;
  }
  if (!IsForeign(input, resource, wanted)) return wanted;
  if (!IsForeign(input, resource, second)) return second;
  return base::AlreadyExists(fmt::format("{} \"{}\" and \"{}\" belong to someone else",
                                         resource.QualifiedName(), wanted, second));
}

void PreferFormerNodes(const GangInput& input, const PodGroupInfo& group, Value& pod_spec) {
  if (!input.gang.reuse_reservation || !input.cluster) return;
  if (!input.profile.ReuseReservation() || input.gang.reuse_reservation->ns != input.gang.ns) {
    return;
  }
  Value names = Value::Array();
  for (const std::string& node : FormerNodes(input, group)) names.Append(node);
  if (names.empty()) return;
  const edit::core::PreferredSchedulingTerm term =
      edit::core::PodSpec(pod_spec)
          .affinity()
          .nodeAffinity()
          .add_preferredDuringSchedulingIgnoredDuringExecution();
  term.set_weight(kFormerNodeWeight);
  term.preference()
      .add_matchExpressions()
      .set_key(api::labels::kHostname)
      .set_operator_("In")
      .set_values(std::move(names));
}

Value DomainPin(const GangInput& input, std::string_view group) {
  Value pin = Value::Object();
  if (!input.cluster) return pin;
  for (const Scope& scope : ConstrainedScopes(input, nullptr)) {
    const std::string& key = scope.wishes.required;
    if (key.empty() || !Covers(input.gang, scope, group)) continue;
    const std::string domain = DomainOf(input, scope, key);
    if (!domain.empty()) pin.Set(key, domain);
  }
  return pin;
}

}  // namespace coppice::backends
