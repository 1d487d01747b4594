#include "backends/component.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <set>

#include "api/well_known.h"
#include "backends/discovery.h"
#include "backends/kueue/kueue.h"
#include "backends/labels.h"
#include "backends/pods.h"
#include "backends/reconciler.h"
#include "backends/translate.h"
#include "base/log.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr auto kDiscoveryPeriod = std::chrono::minutes(10);
const std::string kDiscoveryController = "backend-discovery";

std::vector<api::ObjectKey> GangKeyOf(const Value& pod) {
  const std::string gang(kube::Label(pod, labels::kPodGang));
  if (gang.empty()) return {};
  return {{std::string(kube::Namespace(pod)), gang}};
}

// Whether a change of a pod can show in its gang's status.
bool MattersToGang(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  const Value& before = change.old_object;
  const Value& after = change.object;
  if (GangKeyOf(before).empty() && GangKeyOf(after).empty()) return false;
  for (const std::string_view type : {"Ready", "PodScheduled", "DisruptionTarget"}) {
    if (kube::Condition(before, type) != kube::Condition(after, type)) return true;
  }
  return before["spec"]["nodeName"] != after["spec"]["nodeName"] ||
         before["spec"]["schedulingGates"] != after["spec"]["schedulingGates"] ||
         before["status"]["phase"] != after["status"]["phase"] ||
         before["metadata"]["labels"] != after["metadata"]["labels"] ||
         kube::IsDeleting(before) != kube::IsDeleting(after);
}

std::string ControllerName(const std::string& backend) { return "backend-" + backend; }

}  // namespace

// The facade, and what its controllers share. Also what starts controllers for backends that
// appear while it runs.
class RunningBackends final : public Backends {
 public:
  RunningBackends(kube::Manager& manager, std::shared_ptr<const BackendSet> set)
      : manager_(manager),
        runtime_(manager.runtime()),
        state_(runtime_.cache),
        reader_(state_),
        cache_(runtime_.metrics),
        set_(std::move(set)) {
    for (const api::Resource* resource :
         {&api::kPods, &api::kPodGangs, &api::kPodCliqueSets, &api::kPodCliques,
          &api::kPodCliqueScalingGroups, &api::kClusterTopologyBindings}) {
      state_.InformerOf(*resource);
    }
    manager_.OnStart([this] { OnStart(); });
  }

  base::Result<Selection> Select(const Value& set) override {
    return cache_.Select(current(), set);
  }

  base::Result<Selection> SelectForGang(const Value& gang) override {
    const auto pods = CacheView(state_).GangPods(kube::Namespace(gang), kube::Name(gang));
    return backends::SelectForGang(
        *current(), gang, pods.empty() ? "" : pods.front()["spec"]["schedulerName"].AsString());
  }

  Value GangLabels(const Selection& selection) override {
    Value labels = Value::Object({{labels::kSchedulerName, selection.scheduler_name}});
    if (!Compatible()) labels.Set(labels::kBackend, selection.backend->name());
    return labels;
  }

  Value GangAnnotations(const Selection& selection) override {
    return selection.backend->GangAnnotations();
  }

  base::Status PreparePod(const Value& set, const Value& clique, int64_t index,
                          Value& pod) override {
    COPPICE_TRY(EnsureDiscovered());
    COPPICE_ASSIGN(const Selection selection, Select(set));
    std::string gang(kube::Label(pod, labels::kPodGang));
    if (gang.empty()) gang = kube::Label(clique, labels::kPodGang);
    Value& spec = pod.Mutable("spec");
    if (spec["schedulerName"].AsString().empty()) {
      spec.Set("schedulerName", selection.scheduler_name);
    }
    const GangInput input = reader_.ReadByName(set, gang, selection, Compatible());
    return PrepareGangPod(*selection.backend, input, {std::string(kube::Name(clique)), index}, pod);
  }

  std::vector<base::FieldCause> Validate(const Value& set, const TopologyLevels& levels) override {
    const auto selection = Select(set);
    if (!selection) return Causes(selection.error());
    if (const base::Status discovered = EnsureDiscovered(); !discovered) {
      return Causes(discovered.error());
    }
    // One replica is like the other.
    Value one = set;
    one.Mutable("spec").Set("replicas", 1);
    const std::vector<GangInput> gangs = reader_.ReadPlanned(one, levels, *selection, Compatible());
    std::vector<base::FieldCause> causes = selection->backend->ValidateSet(gangs.front());
    if (!causes.empty() || Compatible()) return causes;
    for (const GangInput& gang : gangs) {
      const Translation translation = TranslateGang(*selection->backend, gang);
      if (!translation.refusal || IsTransient(translation.refusal->reason)) continue;
      const Refusal& refusal = *translation.refusal;
      return {{"FieldValueInvalid", "spec",
               fmt::format("{}: gang {}: {}: {}", refusal.reason, gang.gang.name, refusal.path,
                           refusal.message)}};
    }
    return {};
  }

  ReleaseDecision CheckRelease(const Value& pod) override {
    const CacheView view(state_);
    const std::string ns(kube::Namespace(pod));
    ReleaseInput release;
    release.pod = pod;
    release.grove_compatibility = Compatible();
    release.gang = view.Get(api::kPodGangs, {ns, std::string(kube::Label(pod, labels::kPodGang))})
                       .value_or(Value());
    if (release.gang.IsNull()) return DecideRelease(release);
    const auto selection = SelectForGang(release.gang);
    if (!selection) return {false, selection.error().message(), Value()};
    release.gate = selection->backend->SchedulingGate(Compatible());
    AddBaseGang(view, ns, release);
    if (!Compatible()) AddSurplus(*selection, release);
    return DecideRelease(release);
  }

  base::Result<std::vector<TopologyState>> SyncTopology(const Value& binding) override {
    COPPICE_TRY(EnsureDiscovered());
    GangInput surroundings;
    surroundings.cluster = std::make_shared<CacheView>(state_);
    surroundings.capabilities = state_.capabilities();
    surroundings.grove_compatibility = Compatible();
    return SyncTopologies(runtime_.client, *current(), surroundings, binding);
  }

  base::Status Reconfigure(const BackendConfig& config) override {
    COPPICE_ASSIGN(auto set, BackendSet::Make(config));
    {
      const std::lock_guard lock(mutex_);
      set_ = std::move(set);
    }
    if (started_) {
      AddControllers();
      manager_.Enqueue(kDiscoveryController, {"", "all"});
    }
    return {};
  }

  std::shared_ptr<const BackendSet> current() const override {
    const std::lock_guard lock(mutex_);
    return set_;
  }

  void RunControllers(const ControllerOptions& options) {
    options_ = options;
    AddControllers();
    AddDiscovery();
    started_ = true;
  }

  // Asks the server what it serves; on a change, watches what is new and looks at every gang.
  base::Status Refresh() {
    const std::lock_guard lock(refresh_mutex_);
    COPPICE_ASSIGN(Capabilities found, Discover(runtime_.client, AllUses()));
    const bool changed = !discovered_.exchange(true) || !(found == *state_.capabilities());
    state_.SetCapabilities(std::move(found));
    refreshed_at_ = runtime_.executor.Now();
    WatchServed();
    const auto set = current();
    if (changed || set != refreshed_for_) EnqueueAll();
    refreshed_for_ = set;
    return {};
  }

 private:
  class DiscoveryReconciler final : public kube::Reconciler {
   public:
    explicit DiscoveryReconciler(RunningBackends& backends) : backends_(backends) {}
    base::Result<kube::Requeue> Reconcile(const api::ObjectKey&) override {
      COPPICE_TRY(backends_.Refresh());
      return kube::Requeue::After(kDiscoveryPeriod);
    }

   private:
    RunningBackends& backends_;
  };

  // A process that runs no backend controllers finds out what is served when it first matters.
  base::Status EnsureDiscovered() {
    if (!discovered_) return Refresh();
    if (options_ || runtime_.executor.Now() - refreshed_at_.load() < kDiscoveryPeriod) return {};
    const base::Status refreshed = Refresh();  // What was found before still stands otherwise.
    if (!refreshed) {
      base::LogWarn("cannot discover again", {{"error", refreshed.error().ToString()}});
    }
    return {};
  }

  bool Compatible() const { return current()->config().grove_compatibility; }

  // Reasons that may pass by themselves do not keep a set from being submitted.
  static bool IsTransient(std::string_view reason) {
    return reason == reasons::kBackendUnavailable || reason == reasons::kTopologyUnresolved ||
           reason == reasons::kNameConflict;
  }

  static std::vector<base::FieldCause> Causes(const base::Error& error) {
    if (!error.causes().empty()) return error.causes();
    return {{"FieldValueInvalid", "spec", error.message()}};
  }

  void OnStart() {
    if (!options_) return;
    const base::Status refreshed = Refresh();
    if (!refreshed) {
      base::LogWarn("cannot discover yet", {{"error", refreshed.error().ToString()}});
    }
  }

  void AddControllers() {
    const std::lock_guard lock(refresh_mutex_);
    std::set<std::string> ids;
    for (const BackendInstance& instance : current()->instances()) {
      ids.emplace(instance.backend->name());
    }
    for (const std::string& id : ids) {
      if (Runs(id) && controllers_.insert(id).second) AddController(id);
    }
  }

  bool Runs(const std::string& id) const {
    if (options_->only.empty()) return true;
    return std::find(options_->only.begin(), options_->only.end(), id) != options_->only.end();
  }

  void AddController(const std::string& id) {
    kube::ControllerSpec spec{.name = ControllerName(id), .workers = options_->workers};
    spec.For(api::kPodGangs);
    spec.Watches(api::kPods, &GangKeyOf, &MattersToGang);
    manager_.AddController(
        std::move(spec),
        std::make_unique<BackendReconciler>(id, runtime_, state_, [this] { return current(); }));
  }

  void AddDiscovery() {
    kube::ControllerSpec spec{.name = kDiscoveryController};
    const auto one_key = [](const Value&) { return std::vector<api::ObjectKey>{{"", "all"}}; };
    if (!Compatible()) spec.Watches(api::kCustomResourceDefinitions, one_key);
    spec.Watches(api::kClusterTopologyBindings, one_key);
    manager_.AddController(std::move(spec), std::make_unique<DiscoveryReconciler>(*this));
    manager_.Enqueue(kDiscoveryController, {"", "all"});
  }

  std::vector<ResourceUse> AllUses() const {
    std::vector<ResourceUse> uses;
    for (const BackendInstance& instance : current()->instances()) {
      // A process for some backends has rights for those alone.
      if (options_ && !Runs(std::string(instance.backend->name()))) continue;
      for (ResourceUse& use : UsesIn(instance)) uses.push_back(std::move(use));
    }
    return uses;
  }

  // Under compatibility: grove only what Grove's own operator uses, whose rights may be all that
  // there are: it neither writes Workloads nor reads what schedulers say.
  std::vector<ResourceUse> UsesIn(const BackendInstance& instance) const {
    std::vector<ResourceUse> uses = UsesOf(*instance.backend, instance.profile);
    if (!Compatible()) return uses;
    const bool writes = instance.profile.options["gangScheduling"].AsBool();
    if (instance.backend->name() == "default" && !writes) return {};
    std::erase_if(uses, [](const ResourceUse& use) { return !use.field_selector.empty(); });
    return uses;
  }

  // A change of an object that a gang owns wakes the gang's backend.
  void WatchServed() {
    for (const BackendInstance& instance : current()->instances()) {
      const std::string id(instance.backend->name());
      if (!controllers_.contains(id)) continue;
      for (const ResourceUse& use : UsesIn(instance)) {
        if (!use.documents.empty() || !use.canary["spec"]["containers"].IsNull()) continue;
        if (!use.field_selector.empty()) {
          WatchEvents(id, use.field_selector);
          continue;
        }
        kube::Informer* informer = state_.InformerOf(use.resource);
        if (informer == nullptr || !use.write) continue;
        if (!watched_.insert(id + ":" + Capabilities::Id(use.resource)).second) continue;
        informer->AddHandler([this, id](const kube::Change& change) {
          const Value& owner = kube::ControllerOwner(change.object);
          if (kube::Kind(owner) != "PodGang") return;
          manager_.Enqueue(ControllerName(id),
                           {std::string(kube::Namespace(change.object)), owner["name"].ToString()});
        });
      }
    }
  }

  // What a scheduler says in events concerns the gang behind the pod, or the object, they are
  // about.
  void WatchEvents(const std::string& id, const std::string& field_selector) {
    if (!watched_.insert(id + ":" + field_selector).second) return;
    state_.FollowEvents(field_selector).AddHandler([this, id](const kube::Change& change) {
      if (change.type == kube::ChangeType::kDeleted) return;
      const auto gang = GangBehind(change.object["involvedObject"]);
      if (gang) manager_.Enqueue(ControllerName(id), *gang);
    });
  }

  std::optional<api::ObjectKey> GangBehind(const Value& involved) {
    const CacheView view(state_);
    const std::string ns = involved["namespace"].ToString();
    const api::ObjectKey key{ns, involved["name"].ToString()};
    if (kube::Kind(involved) == api::kPods.kind) {
      const auto keys = GangKeyOf(view.Get(api::kPods, key).value_or(Value()));
      return keys.empty() ? std::nullopt : std::optional(keys.front());
    }
    for (const ResourceUse& use : AllUses()) {
      if (!use.write || use.resource.kind != kube::Kind(involved)) continue;
      const Value object = view.Get(use.resource, key).value_or(Value());
      const Value& owner = kube::ControllerOwner(object);
      if (kube::Kind(owner) == api::kPodGangs.kind)
        return api::ObjectKey{ns, owner["name"].ToString()};
    }
    return std::nullopt;
  }

  void EnqueueAll() {
    for (const Value& gang : CacheView(state_).List(api::kPodGangs)) {
      for (const std::string& id : controllers_) {
        manager_.Enqueue(ControllerName(id), kube::KeyOf(gang));
      }
    }
  }

  void AddBaseGang(const CacheView& view, const std::string& ns, ReleaseInput& release) {
    const std::string base(kube::Label(release.pod, labels::kBaseGang));
    if (base.empty()) return;
    release.base_gang = view.Get(api::kPodGangs, {ns, base}).value_or(Value());
    if (!release.grove_compatibility || release.base_gang->IsNull()) return;
    release.base_gang_scheduled = true;
    for (const Value& group : (*release.base_gang)["spec"]["podgroups"].Items()) {
      const auto clique = view.Get(api::kPodCliques, {ns, group["name"].ToString()});
      const int64_t scheduled = clique ? (*clique)["status"]["scheduledReplicas"].AsInt() : -1;
      release.base_gang_scheduled &= scheduled >= group["minReplicas"].AsInt();
    }
  }

  void AddSurplus(const Selection& selection, ReleaseInput& release) {
    const GangInput input = reader_.Read(release.gang, selection, false);
    const ReleaseRule rule = selection.backend->Release(input);
    const std::string_view name = kube::Label(release.pod, labels::kPodClique);
    const PodGroupInfo* group = input.gang.FindGroup(name);
    if (group == nullptr) return;
    const bool layered = kueue::Applies(input);
    const bool surplus = IsSurplus(*group, PodIndex(release.pod));
    release.surplus = (rule.hold_surplus || layered) && surplus;
    const bool replaced =
        rule.pin_replacements && kube::ConditionIs(release.gang, "Scheduled", "True");
    if (release.surplus || replaced) release.pin = DomainPin(input, name);
    if (layered) AddAdmission(input, name, release);
  }

  static void AddAdmission(const GangInput& input, std::string_view group, ReleaseInput& release) {
    const kueue::Admission admission = kueue::CheckAdmission(input, group, release.surplus);
    if (!admission.admitted) release.held_by = "Kueue has not admitted the gang";
    for (const json::Member& label : admission.node_selector.Members()) {
      release.pin.Set(label.name(), label.value);
    }
    release.tolerations = admission.tolerations;
  }

  kube::Manager& manager_;
  kube::Runtime runtime_;
  ClusterState state_;
  GangReader reader_;
  SelectionCache cache_;

  mutable std::mutex mutex_;  // Guards set_.
  std::shared_ptr<const BackendSet> set_;

  // Set up before the manager starts.
  std::optional<ControllerOptions> options_;
  // One discovery at a time. Guards what follows; controllers_ also changes in Reconfigure.
  std::mutex refresh_mutex_;
  std::set<std::string> controllers_;
  std::set<std::string> watched_;
  std::shared_ptr<const BackendSet> refreshed_for_;
  std::atomic<base::Time> refreshed_at_ = base::Time{};
  std::atomic<bool> discovered_ = false;
  std::atomic<bool> started_ = false;
};

base::Result<std::unique_ptr<Backends>> MakeBackends(kube::Manager& manager,
                                                     const BackendConfig& config) {
  COPPICE_ASSIGN(auto set, BackendSet::Make(config));
  return std::unique_ptr<Backends>(std::make_unique<RunningBackends>(manager, std::move(set)));
}

base::Status AddToManager(kube::Manager& manager, Backends& backends,
                          const ControllerOptions& options) {
  (void)manager;
  for (const std::string& id : options.only) {
    if (BackendCatalog::Global().IdOf(id) == id || backends.current()->ByName(id) != nullptr) {
      continue;
    }
    return base::InvalidArgument(fmt::format("no backend is called \"{}\"", id));
  }
  static_cast<RunningBackends&>(backends).RunControllers(options);
  return {};
}

}  // namespace coppice::backends
