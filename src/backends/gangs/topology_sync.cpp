#include "backends/gangs/topology_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/edit/meta.h"
#include "api/key/grove.h"
#include "api/view/grove.h"
#include "backends/kueue/kueue.h"
#include "backends/model/fields.h"
#include "backends/model/refused.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr std::string_view kFieldManager = "coppice-topology";

class Syncer {
 public:
  Syncer(kube::Client& client, const GangInput& surroundings, const Value& binding)
      : client_(client), input_(surroundings), binding_(binding) {}

  base::Result<TopologyState> Sync(const BackendInstance& instance) {
    return SyncOrTell(SchedulerName(instance),
                      instance.backend->TranslateTopology(input_, binding_));
  }

  // Kueue is an admission layer, not a scheduler, but also has topologies.
  base::Result<TopologyState> SyncKueue() {
    return SyncOrTell(std::string(kueue::kName), {kueue::TranslateTopology(binding_)});
  }

  static std::string SchedulerName(const BackendInstance& instance) {
    return SchedulerNameFor(*instance.backend, instance.profile, "");
  }

 private:
  // Topologies that we may not read or write are reported as out of sync; the others are synced
  // anyway.
  base::Result<TopologyState> SyncOrTell(const std::string& scheduler,
                                         const std::vector<DesiredObject>& objects) {
    auto state = SyncObjects(scheduler, objects);
    if (state || !IsRefused(state.error())) return state;
    return TopologyState{.scheduler_name = scheduler,
                         .reference = std::string(kube::Name(binding_)),
                         .message = state.error().message()};
  }

  base::Result<TopologyState> SyncObjects(std::string scheduler,
                                          const std::vector<DesiredObject>& objects) {
    TopologyState state{.scheduler_name = std::move(scheduler), .reference = {}};
    const std::string external = ExternalReference(state.scheduler_name);
    if (!external.empty()) return CheckDrift(std::move(state), external, objects);
    state.reference = objects.size() == 1 ? std::string(kube::Name(objects[0].object))
                                          : std::string(kube::Name(binding_));
    state.in_sync = true;
    for (const DesiredObject& desired : objects) COPPICE_TRY(SyncObject(desired, state));
    COPPICE_TRY(DeleteSurplus(objects));
    return state;
  }

  std::string ExternalReference(const std::string& scheduler) const {
    return TopologyReference(binding_, scheduler);
  }

  base::Result<TopologyState> CheckDrift(TopologyState state, const std::string& reference,
                                         const std::vector<DesiredObject>& objects) {
    state.reference = reference;
    if (objects.empty()) return state;
    const auto live = client_.Get(objects[0].resource, {"", reference});
    if (live.Is(base::ErrorCode::kNotFound)) {
      state.message = fmt::format("{} \"{}\" not found", objects[0].resource.kind, reference);
      return state;
    }
    if (!live) return live.error().During("reading the topology");
    state.observed_generation = kube::Generation(*live);
    state.in_sync = SameSpec(*live, objects[0].object);
    if (!state.in_sync) {
      state.message = fmt::format("{} \"{}\" has other levels than the binding",
                                  objects[0].resource.kind, reference);
    }
    return state;
  }

  // For any kind of topology object.
  static bool SameSpec(const Value& live, const Value& wanted) {
    using Key = key::grove::ClusterTopologyBinding;
    return HasAll(live[Key::spec], wanted[Key::spec]);
  }

  Value WithOwner(const DesiredObject& desired) const {
    Value object = desired.object;
    edit::meta::PartialObjectMetadata(object).metadata().set_ownerReferences(
        Value::Array({kube::MakeControllerReference(binding_)}));
    return object;
  }

  base::Status SyncObject(const DesiredObject& desired, TopologyState& state) {
    const api::ObjectKey key{"", std::string(kube::Name(desired.object))};
    const auto live = client_.Get(desired.resource, key);
    if (!live && !live.Is(base::ErrorCode::kNotFound)) return live.error();
    if (live) {
      if (!kube::IsOwnedBy(*live, kube::Uid(binding_))) {
        state.in_sync = SameSpec(*live, desired.object);
        if (!state.in_sync) {
          state.message = fmt::format("{} \"{}\" exists, differs, and belongs to someone else",
                                      desired.resource.kind, key.name);
        }
        return {};
      }
      state.observed_generation = kube::Generation(*live);
      if (SameSpec(*live, desired.object)) return {};
      // Immutable levels cannot be edited, so delete the object first.
      if (!desired.immutable.empty()) {
        COPPICE_TRY(client_.Delete(desired.resource, key, {.uid = std::string(kube::Uid(*live))}));
      }
    }
    const auto written =
        client_.Patch(desired.resource, key, kube::PatchType::kApply, WithOwner(desired),
                      {.field_manager = std::string(kFieldManager), .force = true});
    if (!written) return written.error().During("writing the topology");
    state.observed_generation = kube::Generation(*written);
    return {};
  }

  // Deletes domains that have no nodes any more.
  base::Status DeleteSurplus(const std::vector<DesiredObject>& objects) {
    std::set<std::string> wanted;
    for (const DesiredObject& desired : objects) wanted.emplace(kube::Name(desired.object));
    if (objects.empty()) return {};
    const api::Resource& resource = objects.front().resource;
    for (const Value& owned : input_.cluster->OwnedBy(resource, kube::Uid(binding_))) {
      if (wanted.contains(std::string(kube::Name(owned)))) continue;
      const auto deleted =
          client_.Delete(resource, kube::KeyOf(owned), {.uid = std::string(kube::Uid(owned))});
      if (!deleted && !deleted.Is(base::ErrorCode::kNotFound)) return deleted.error();
    }
    return {};
  }

  kube::Client& client_;
  const GangInput& input_;
  const Value& binding_;
};

bool CanKeepTopology(const BackendInstance& instance, const GangInput& input) {
  return input.policy->ManagesTopology(instance.backend->name(), instance.backend->KeepsTopology());
}

// Topologies of schedulers that are not installed do not count as missing.
bool IsServed(const BackendInstance& instance, const GangInput& input, const Value& binding) {
  for (const DesiredObject& desired : instance.backend->TranslateTopology(input, binding)) {
    if (!input.capabilities->Serves(desired.resource)) return false;
  }
  return true;
}

}  // namespace

base::Result<std::vector<TopologyState>> SyncTopologies(kube::Client& client,
                                                        const BackendSet& backends,
                                                        const GangInput& surroundings,
                                                        const Value& binding) {
  std::vector<TopologyState> states;
  std::set<std::string> known;
  for (const BackendInstance& instance : backends.instances()) {
    if (!CanKeepTopology(instance, surroundings)) continue;
    known.insert(Syncer::SchedulerName(instance));
    if (!IsServed(instance, surroundings, binding)) continue;
    COPPICE_ASSIGN(TopologyState state, Syncer(client, surroundings, binding).Sync(instance));
    states.push_back(std::move(state));
  }
  const bool layered = std::any_of(
      backends.instances().begin(), backends.instances().end(),
      [](const BackendInstance& instance) { return instance.profile.KueueAdmission(); });
  if (layered && surroundings.capabilities->Serves(kueue::kTopologies)) {
    known.emplace(kueue::kName);
    COPPICE_ASSIGN(TopologyState state, Syncer(client, surroundings, binding).SyncKueue());
    states.push_back(std::move(state));
  }
  std::sort(states.begin(), states.end(), [](const TopologyState& a, const TopologyState& b) {
    return a.scheduler_name < b.scheduler_name;
  });
  const auto spec = view::grove::ClusterTopologyBinding(binding).spec();
  for (const auto bound : spec.schedulerTopologyBindings()) {
    const std::string name(bound.schedulerName());
    if (known.contains(name)) continue;
    states.push_back({.scheduler_name = name,
                      .reference = std::string(bound.topologyReference()),
                      .known = false,
                      .message = fmt::format("scheduler backend \"{}\" is not enabled or keeps no "
                                             "topologies",
                                             name)});
  }
  return states;
}

}  // namespace coppice::backends
