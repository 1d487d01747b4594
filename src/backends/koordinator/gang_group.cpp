#include "backends/koordinator/gang_group.h"

#include <fmt/format.h>

#include <charconv>

#include "api/edit/koordinator.h"
#include "api/labels.h"
#include "api/view/koordinator.h"
#include "backends/framework/pods.h"
#include "backends/koordinator/koordinator.h"
#include "backends/model/names.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::backends::koordinator {
namespace {

using json::Value;

constexpr std::string_view kTimeoutAnnotation = api::labels::kKoordinatorTimeout;

// The layer of a label key in the ClusterNetworkTopology that Koordinator reads, or in the one that
// will be generated from the binding; "" if there is none.
std::string LayerOf(const GangInput& input, const std::string& key) {
  if (key == api::labels::kHostname) return std::string(kNodeLayer);
  const auto topology =
      input.cluster ? input.cluster->Get(kNetworkTopologies, {"", "default"}) : std::nullopt;
  if (!topology) {
    const auto index = input.topology.IndexOf(key);
    return index ? input.topology.levels[*index].domain : std::string();
  }
  const auto spec = view::koordinator::ClusterNetworkTopology(*topology).spec();
  for (const auto layer : spec.networkTopologySpec()) {
    for (const std::string_view label : layer.labelKey()) {
      if (label == key) return std::string(layer.topologyLayer());
    }
  }
  return {};
}

class Builder {
 public:
  explicit Builder(const GangInput& input) : input_(input) {}

  GangGroup Build() {
    AddMembers();
    // The spec of the first pod applies to all members, so a group's own constraint can only be
    // expressed if the group is the whole gang.
    const bool alone = group_.members.size() == 1;
    const bool served = input_.capabilities->Serves(kNetworkTopologies);
    const bool gang_wish = served && !input_.gang.topology.empty();
    group_.topology = PlanTopology(
        input_, {.expressiveness =
                     [&](const Scope& scope, bool required) {
                       const bool whole = scope.kind == ScopeKind::kGang || alone;
                       if (!served || !whole) return Expressiveness::kNone;
                       return required ? Expressiveness::kNative : Expressiveness::kImplied;
                     },
                 .affinity_required = !gang_wish,
                 .affinity_preferred = false});
    group_.refusal = group_.topology.refusal;
    SetAnnotations();
    // If surplus pods are not held back, they must be in the gang group, so that they do not run
    // without it.
    group_.core_only = group_.has_network_topology || input_.policy->HoldsSurplusPods();
    for (Member& member : group_.members) SetTotal(member);
    return std::move(group_);
  }

 private:
  void AddMembers() {
    for (const PodGroupInfo& role : input_.gang.pod_groups) {
      // A member without a minimum would stay pending forever.
      if (role.LastMinimum() == 0) continue;
      Member member{role.name, Name(role.name), role.LastMinimum(), role.LastMinimum()};
      group_.members.push_back(std::move(member));
    }
  }

  std::string Name(const std::string& role) {
    const std::string wanted = Short(role, kLabelValueLimit);
    const auto name = ChooseName(input_, kPodGroups, wanted);
    if (name) return *name;
    group_.refusal =
        Refusal{std::string(reasons::kNameConflict), "metadata.name", name.error().message()};
    return wanted;
  }

  void SetTotal(Member& member) const {
    if (group_.core_only) return;
    member.total = std::max(member.minimum, input_.gang.FindGroup(member.role)->replicas);
  }

  void Set(std::string_view key, Value value) {
    group_.annotations.Set(fmt::format("gang.scheduling.koordinator.sh/{}", key), std::move(value));
  }

  void SetAnnotations() {
    const auto options = input_.profile.Config();
    Set("mode", Or(options.mode(), "Strict"));
    Set("match-policy", Or(options.matchPolicy(), "waiting-and-running"));
    if (group_.members.size() > 1) {
      Value names = Value::Array();
      for (const Member& member : group_.members) {
        names.Append(input_.gang.ns + "/" + member.name);
      }
      Set("groups", json::Write(names));
    }
    const Value spec = NetworkTopologySpec();
    if (spec.empty()) return;
    group_.has_network_topology = true;
    Set("network-topology-spec", json::Write(spec));
  }

  Value NetworkTopologySpec() {
    Value spec;
    const edit::koordinator::NetworkTopologySpec edit(spec);
    for (const Scope& scope : group_.topology.native) {
      AddLayer(scope, scope.wishes.required, "MustGather", edit);
      AddLayer(scope, scope.wishes.preferred, "PreferGather", edit);
    }
    return spec;
  }

  void AddLayer(const Scope& scope, const std::string& key, std::string_view how,
                edit::koordinator::NetworkTopologySpec spec) {
    if (key.empty()) return;
    const std::string layer = LayerOf(input_, key);
    if (layer.empty()) {
      if (!group_.refusal) {
        group_.refusal = Refusal{
            std::string(reasons::kTopologyUnresolved), scope.path,
            fmt::format("no layer of ClusterNetworkTopology \"default\" has label \"{}\"", key)};
      }
      return;
    }
    spec.add_gatherStrategy().set_layer(layer).set_strategy(how);
  }

  const GangInput& input_;
  GangGroup group_;
};

}  // namespace

const Member* GangGroup::MemberOf(std::string_view role) const {
  for (const Member& member : members) {
    if (member.role == role) return &member;
  }
  return nullptr;
}

GangGroup MakeGangGroup(const GangInput& input) { return Builder(input).Build(); }

int64_t TimeoutSeconds(const GangInput& input) {
  const std::string_view text = input.gang.annotations[kTimeoutAnnotation].AsString();
  int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (seconds > 0) return seconds;
  return input.profile.Config().scheduleTimeoutSeconds(600);
}

}  // namespace coppice::backends::koordinator
