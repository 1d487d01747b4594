#include "backends/sync/component.h"

#include <fmt/format.h>

#include <mutex>

#include "api/edit/core.h"
#include "api/edit/grove.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "backends/framework/pods.h"
#include "backends/gangs/gang_reader.h"
#include "backends/gangs/restarts.h"
#include "backends/gangs/translate.h"
#include "backends/model/labels.h"
#include "backends/model/refused.h"
#include "backends/sync/controllers.h"
#include "backends/sync/release.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

// Reasons that may resolve by themselves do not reject a set at admission.
bool IsTransient(std::string_view reason) {
  return reason == reasons::kBackendUnavailable || reason == reasons::kTopologyUnresolved ||
         reason == reasons::kNameConflict;
}

std::vector<base::FieldCause> Causes(const base::Error& error) {
  if (!error.causes().empty()) return error.causes();
  return {{"FieldValueInvalid", "spec", error.message()}};
}

// All replicas are alike, and so are the scaled gangs of a group.
Value WithOneOfEach(Value set) {
  const edit::grove::PodCliqueSetSpec spec = edit::grove::PodCliqueSet(set).spec();
  spec.set_replicas(1);
  const view::grove::PodCliqueSet read(set);
  if (!read.spec().template_().has_podCliqueScalingGroups()) return set;
  for (Value& item : spec.template_().podCliqueScalingGroups().Json().MutableItems()) {
    const view::grove::ScalingGroupConfig group(item);
    const int64_t minimum = group.minAvailable(1);
    if (group.replicas() <= minimum + 1) continue;
    edit::grove::ScalingGroupConfig(item).set_replicas(minimum + 1);
  }
  return set;
}

}  // namespace

// The facade, and the state that its controllers share.
class RunningBackends final : public Backends {
 public:
  RunningBackends(kube::Manager& manager, std::shared_ptr<const BackendSet> set)
      : client_(manager.runtime().client),
        executor_(manager.runtime().executor),
        state_(manager.runtime().cache, manager.runtime().client),
        reader_(state_),
        cache_(manager.runtime().metrics),
        set_(std::move(set)),
        controllers_(manager, state_, [this] { return current(); }) {
    for (const api::Resource* resource :
         {&api::kPods, &api::kPodGangs, &api::kPodCliqueSets, &api::kPodCliques,
          &api::kPodCliqueScalingGroups, &api::kClusterTopologyBindings}) {
      state_.InformerOf(*resource);
    }
  }

  base::Result<Selection> Select(const Value& set) override {
    return cache_.Select(current(), set, [&] { return PresentScheduler(set); });
  }

  base::Result<Selection> SelectForGang(const Value& gang) override {
    const auto pods = CacheView(state_).GangPods(kube::Namespace(gang), kube::Name(gang));
    return backends::SelectForGang(
        *current(), gang, pods.empty() ? "" : view::core::Pod(pods.front()).spec().schedulerName());
  }

  Value GangLabels(const Selection& selection) override {
    Value labels = Value::Object({{labels::kSchedulerName, selection.scheduler_name}});
    if (Policy().LabelsGangsWithBackend()) labels.Set(labels::kBackend, selection.backend->name());
    return labels;
  }

  Value GangAnnotations(const Selection& selection) override {
    return selection.backend->GangAnnotations();
  }

  base::Status PreparePod(const Value& set, const Value& clique, int64_t index,
                          Value& pod) override {
    COPPICE_TRY(controllers_.EnsureDiscovered());
    COPPICE_ASSIGN(const Selection selection, Select(set));
    std::string gang(kube::Label(pod, labels::kPodGang));
    if (gang.empty()) gang = kube::Label(clique, labels::kPodGang);
    const CacheView view(state_);
    const auto stored = view.Get(api::kPodGangs, {std::string(kube::Namespace(set)), gang});
    if (stored && restarts_.Holds(view, *stored, executor_.Elapsed())) {
      return base::Unavailable(
          fmt::format("the scheduler's objects of PodGang {} are being replaced", gang));
    }
    // May differ from the template: an annotation of the set can choose another scheduler.
    edit::core::Pod(pod).spec().set_schedulerName(selection.scheduler_name);
    const GangInput input = reader_.ReadByName(set, gang, selection, Policy());
    const base::Status prepared =
        PrepareGangPod(*selection.backend, input, {std::string(kube::Name(clique)), index}, pod);
    // A pod's metadata is permanent, so it must not depend on objects that we could not read.
    const base::Status readable = state_.Readable(UsesOf(*selection.backend, selection.profile));
    if (!readable) return base::Unavailable(readable.error().message());
    return prepared;
  }

  std::vector<base::FieldCause> Validate(const Value& set, const TopologyLevels& levels) override {
    const auto selection = Select(set);
    if (!selection) return Causes(selection.error());
    if (const base::Status discovered = controllers_.EnsureDiscovered(); !discovered) {
      return Causes(discovered.error());
    }
    std::vector<base::FieldCause> causes = WhatIsWrong(set, levels, *selection);
    // What was not found may exist but not be readable for us; the gang will report that.
    const base::Status readable = state_.Readable(UsesOf(*selection->backend, selection->profile));
    if (!readable && IsRefused(readable.error())) return {};
    return causes;
  }

  ReleaseDecision CheckRelease(const Value& pod) override {
    const CacheView view(state_);
    const auto gang = view.Get(api::kPodGangs, {std::string(kube::Namespace(pod)),
                                                std::string(kube::Label(pod, labels::kPodGang))});
    if (!gang) {
      ReleaseInput without_gang;
      without_gang.pod = pod;
      return DecideRelease(without_gang);
    }
    const auto selection = SelectForGang(*gang);
    if (!selection) return {false, selection.error().message(), Value()};
    return DecideRelease(ReadRelease(view, reader_, *selection, Policy(), pod, *gang));
  }

  base::Result<std::vector<TopologyState>> SyncTopology(const Value& binding) override {
    COPPICE_TRY(controllers_.EnsureDiscovered());
    GangInput surroundings;
    surroundings.cluster = std::make_shared<CacheView>(state_);
    surroundings.capabilities = state_.capabilities();
    surroundings.policy = &Policy();
    return SyncTopologies(client_, *current(), surroundings, binding);
  }

  base::Status Reconfigure(const BackendConfig& config) override {
    COPPICE_ASSIGN(auto set, BackendSet::Make(config));
    {
      const std::lock_guard lock(mutex_);
      set_ = std::move(set);
    }
    controllers_.Follow();
    return {};
  }

  std::shared_ptr<const BackendSet> current() const override {
    const std::lock_guard lock(mutex_);
    return set_;
  }

  void RunControllers(const ControllerOptions& options) { controllers_.Run(options); }

 private:
  std::vector<base::FieldCause> WhatIsWrong(const Value& set, const TopologyLevels& levels,
                                            const Selection& selection) {
    const Value one = WithOneOfEach(set);
    const std::vector<GangInput> gangs = reader_.ReadPlanned(one, levels, selection, Policy());
    std::vector<base::FieldCause> causes = selection.backend->ValidateSet(gangs.front());
    if (!causes.empty() || !Policy().ValidatesTranslation()) return causes;
    for (const GangInput& gang : gangs) {
      const Translation translation = TranslateGang(*selection.backend, gang);
      if (!translation.refusal || IsTransient(translation.refusal->reason)) continue;
      const Refusal& refusal = *translation.refusal;
      return {{"FieldValueInvalid", "spec",
               fmt::format("{}: gang {}: {}: {}", refusal.reason, gang.gang.name, refusal.path,
                           refusal.message)}};
    }
    return {};
  }

  // The scheduler of a set's first gang.
  std::string PresentScheduler(const Value& set) {
    const std::string name(kube::Name(set));
    const auto gang = state_.Get(api::kPodGangs, {std::string(kube::Namespace(set)), name + "-0"});
    if (!gang || kube::IsDeleting(*gang)) return {};
    const view::meta::OwnerReference owner(kube::ControllerOwner(*gang));
    const bool of_set = kube::Uid(set).empty() || owner.uid() == kube::Uid(set);
    if (!of_set || owner.name() != name) return {};
    return std::string(kube::Label(*gang, labels::kSchedulerName));
  }
  const CompatibilityPolicy& Policy() const { return *current()->config().policy; }

  kube::Client& client_;
  kube::Executor& executor_;
  ClusterState state_;
  GangReader reader_;
  SelectionCache cache_;
  Restarts restarts_;

  mutable std::mutex mutex_;  // Guards set_.
  std::shared_ptr<const BackendSet> set_;

  BackendControllers controllers_;
};

base::Result<std::unique_ptr<Backends>> MakeBackends(kube::Manager& manager,
                                                     const BackendConfig& config) {
  COPPICE_ASSIGN(auto set, BackendSet::Make(config));
  return std::unique_ptr<Backends>(std::make_unique<RunningBackends>(manager, std::move(set)));
}

base::Status CheckBackendIds(const BackendSet& set, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    const BuiltInBackend* built_in = FindBuiltIn(id);
    if ((built_in != nullptr && built_in->id == id) || set.ByName(id) != nullptr) continue;
    return base::InvalidArgument(fmt::format("no backend is called \"{}\"", id));
  }
  return {};
}

base::Status AddToManager(kube::Manager& manager, Backends& backends,
                          const ControllerOptions& options) {
  (void)manager;
  COPPICE_TRY(CheckBackendIds(*backends.current(), options.only));
  static_cast<RunningBackends&>(backends).RunControllers(options);
  return {};
}

}  // namespace coppice::backends
