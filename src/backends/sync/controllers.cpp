#include "backends/sync/controllers.h"

#include <algorithm>

#include "api/conditions.h"
#include "api/view/backendfiles.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "backends/gangs/discovery.h"
#include "backends/gangs/translate.h"
#include "backends/model/labels.h"
#include "backends/model/sample_gangs.h"
#include "base/log.h"
#include "kube/cache/packing/trim.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr auto kDiscoveryPeriod = std::chrono::minutes(10);
// A scheduler itself does not see its new configuration earlier, because it is a mounted volume.
constexpr auto kDocumentPeriod = std::chrono::seconds(5);
constexpr auto kIncompleteRetry = std::chrono::seconds(5);
constexpr std::string_view kAvailable = "coppice_backend_available";
const std::string kDiscoveryController = "backend-discovery";
const std::string kDocumentController = "backend-documents";

std::vector<api::ObjectKey> GangKeyOf(const Value& pod) {
  const std::string gang(kube::Label(pod, labels::kPodGang));
  if (gang.empty()) return {};
  return {{std::string(kube::Namespace(pod)), gang}};
}

bool IsPod(const Value& canary) { return view::core::Pod(canary).spec().has_containers(); }

bool ConditionChanged(const kube::Change& change, std::string_view type) {
  return kube::Condition(change.old_object, type) != kube::Condition(change.object, type);
}

// Whether a change of a pod can affect its gang's status.
bool MattersToGang(const kube::Change& change) {
  if (change.type != kube::ChangeType::kUpdated) return true;
  if (GangKeyOf(change.old_object).empty() && GangKeyOf(change.object).empty()) return false;
  for (const std::string_view type : {api::conditions::kPodReady, api::conditions::kPodScheduled,
                                      api::conditions::kPodDisruptionTarget}) {
    if (ConditionChanged(change, type)) return true;
  }
  const view::core::Pod before(change.old_object);
  const view::core::Pod after(change.object);
  return before.spec().nodeName() != after.spec().nodeName() ||
         before.spec().schedulingGates().Json() != after.spec().schedulingGates().Json() ||
         before.status().phase() != after.status().phase() ||
         before.metadata().labels().Json() != after.metadata().labels().Json() ||
         kube::IsDeleting(change.old_object) != kube::IsDeleting(change.object);
}

// A scheduler's placeholder for a gang's pod, with a changed PodScheduled condition.
bool IsPlaceholderNews(const kube::Change& change) {
  if (kube::Label(change.object, labels::kApplication).empty()) return false;
  return GangKeyOf(change.object).empty() &&
         ConditionChanged(change, api::conditions::kPodScheduled);
}

// Its pods cannot be scheduled before the scheduler has its objects.
bool IsNewGang(const kube::Change& change) {
  if (change.type == kube::ChangeType::kDeleted) return false;
  if (change.type == kube::ChangeType::kUpdated) {
    return kube::Generation(change.old_object) != kube::Generation(change.object);
  }
  return kube::Condition(change.object, api::grove::kGangBackendSynced).IsNull();
}

bool LevelsChanged(const kube::Change& change) {
  using view::grove::ClusterTopologyBinding;
  return change.type != kube::ChangeType::kUpdated ||
         ClusterTopologyBinding(change.old_object).spec() !=
             ClusterTopologyBinding(change.object).spec();
}

// The objects for schedulers include the pods' requests, which the PodGang does not.
bool TemplateChanged(const kube::Change& change) {
  using view::grove::PodCliqueSet;
  return change.type == kube::ChangeType::kUpdated &&
         PodCliqueSet(change.old_object).spec().template_() !=
             PodCliqueSet(change.object).spec().template_();
}

std::string ControllerName(const std::string& backend) { return "backend-" + backend; }

}  // namespace

class BackendControllers::DiscoveryReconciler final : public kube::Reconciler {
 public:
  explicit DiscoveryReconciler(BackendControllers& controllers) : controllers_(controllers) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey&) override {
    COPPICE_TRY(controllers_.Refresh());
    if (controllers_.state_.capabilities()->complete()) {
      return kube::Requeue::After(kDiscoveryPeriod);
    }
    return kube::Requeue::After(kIncompleteRetry);
  }

 private:
  BackendControllers& controllers_;
};

class BackendControllers::DocumentReconciler final : public kube::Reconciler {
 public:
  explicit DocumentReconciler(BackendControllers& controllers) : controllers_(controllers) {}
  base::Result<kube::Requeue> Reconcile(const api::ObjectKey&) override {
    controllers_.RereadDocuments();
    return kube::Requeue::After(kDocumentPeriod);
  }

 private:
  BackendControllers& controllers_;
};

BackendControllers::BackendControllers(kube::Manager& manager, ClusterState& state,
                                       CurrentSet current)
    : manager_(manager), runtime_(manager.runtime()), state_(state), current_(std::move(current)) {
  runtime_.metrics.Describe(std::string(kAvailable),
                            "Whether a backend can hand gangs to its scheduler: 1, or 0 where its "
                            "kinds are not served or it has no rights to them.");
  manager_.OnStart([this] { OnStart(); });
}

void BackendControllers::Run(const ControllerOptions& options) {
  options_ = options;
  AddControllers();
  AddDiscovery();
  started_ = true;
}

void BackendControllers::Follow() {
  outdated_ = true;
  if (!started_) return;
  AddControllers();
  manager_.Enqueue(kDiscoveryController, {"", "all"});
}

base::Status BackendControllers::EnsureDiscovered() {
  if (!discovered_) {
    FollowDefinitions();
    return Refresh();
  }
  if (options_) return {};
  const bool late = runtime_.executor.Elapsed() - refreshed_at_.load() >= kDiscoveryPeriod;
  if (!late && !outdated_) return {};
  const base::Status refreshed = Refresh();  // If it fails, the previous result stays valid.
  if (!refreshed) {
    base::LogWarn("cannot discover again", {{"error", refreshed.error().ToString()}});
  }
  return {};
}

// What is served decides what pods carry. That must agree with what the backend's own process
// writes, which notices changes immediately.
void BackendControllers::FollowDefinitions() {
  if (options_ || !Policy().WatchesDefinitions() || follows_definitions_.exchange(true)) return;
  runtime_.cache.InformerFor(api::kCustomResourceDefinitions, {.trim = kube::TrimTo({})})
      .AddHandler([this](const kube::Change&) { outdated_ = true; });
}

base::Status BackendControllers::Refresh() {
  const std::lock_guard lock(refresh_mutex_);
  const bool was_outdated = outdated_.exchange(false);
  auto discovered = Discover(runtime_.client, AllUses(), *state_.capabilities());
  if (!discovered) {
    outdated_ = was_outdated;
    return discovered.error();
  }
  Capabilities found = *std::move(discovered);
  const bool changed = !discovered_.exchange(true) || !(found == *state_.capabilities());
  state_.SetCapabilities(std::move(found));
  refreshed_at_ = runtime_.executor.Elapsed();
  WatchServed();
  const auto set = current_();
  for (const std::string& id : controllers_) CheckAvailable(id);
  if (changed || set != refreshed_for_) {
    for (const std::string& id : controllers_) EnqueueGangs(id);
    TellWhatLacks();
  }
  refreshed_for_ = set;
  return {};
}

void BackendControllers::RereadDocuments() {
  const std::lock_guard lock(refresh_mutex_);
  if (!discovered_) return;
  Capabilities found = *state_.capabilities();
  ReadDocuments(runtime_.client, AllUses(), found);
  if (found == *state_.capabilities()) return;
  base::LogInfo("a scheduler's configuration has changed", {});
  state_.SetCapabilities(std::move(found));
  for (const std::string& id : controllers_) EnqueueGangs(id);
}

// Only the process that runs the controllers reports it; others would duplicate the event.
void BackendControllers::TellWhatLacks() {
  if (!options_) return;
  const auto found = state_.capabilities();
  for (const ResourceUse& use : AllUses()) {
    for (const ResourceUse::Lack& lack : use.lacks) {
      if (!found->Serves(use.resource) || found->HasField(use.resource, lack.field)) continue;
      const auto definition =
          runtime_.client.Get(api::kCustomResourceDefinitions, {"", use.resource.QualifiedName()});
      if (definition) runtime_.events.Event(*definition, "Warning", lack.reason, lack.message);
    }
  }
}

void BackendControllers::OnStart() {
  if (!options_) return;
  const base::Status refreshed = Refresh();
  if (!refreshed) {
    base::LogWarn("cannot discover yet", {{"error", refreshed.error().ToString()}});
  }
}

void BackendControllers::AddControllers() {
  const std::lock_guard lock(refresh_mutex_);
  std::set<std::string> ids;
  for (const BackendInstance& instance : current_()->instances()) {
    ids.emplace(instance.backend->name());
  }
  for (const std::string& id : ids) {
    if (Runs(id) && controllers_.insert(id).second) AddController(id);
  }
}

bool BackendControllers::Runs(const std::string& id) const {
  if (options_->only.empty()) return true;
  return std::find(options_->only.begin(), options_->only.end(), id) != options_->only.end();
}

void BackendControllers::AddController(const std::string& id) {
  kube::ControllerSpec spec{.name = ControllerName(id), .workers = options_->workers};
  spec.For(api::kPodGangs).WithPriority(kube::Priority::kHigh, &IsNewGang);
  spec.Watches(api::kPods, &GangKeyOf, &MattersToGang);
  const auto stood_in_for = [this](const Value& pod) { return GangsBehind(pod); };
  spec.Watches(api::kPods, stood_in_for, &IsPlaceholderNews);
  const auto gangs_of = [this](const Value& binding) { return GangsIn(kube::Name(binding)); };
  spec.Watches(api::kClusterTopologyBindings, gangs_of, &LevelsChanged);
  const auto gangs_of_set = [this](const Value& set) { return GangsOf(kube::Uid(set)); };
  spec.Watches(api::kPodCliqueSets, gangs_of_set, &TemplateChanged);
  manager_.AddController(std::move(spec),
                         std::make_unique<BackendReconciler>(id, runtime_, state_, current_));
}

void BackendControllers::AddDiscovery() {
  kube::ControllerSpec spec{.name = kDiscoveryController};
  const auto one_key = [](const Value&) { return std::vector<api::ObjectKey>{{"", "all"}}; };
  if (Policy().WatchesDefinitions()) spec.Watches(api::kCustomResourceDefinitions, one_key);
  spec.Watches(api::kClusterTopologyBindings, one_key);
  manager_.AddController(std::move(spec), std::make_unique<DiscoveryReconciler>(*this));
  manager_.Enqueue(kDiscoveryController, {"", "all"});
  manager_.AddController({.name = kDocumentController},
                         std::make_unique<DocumentReconciler>(*this));
  manager_.Enqueue(kDocumentController, {"", "all"});
}

std::vector<ResourceUse> BackendControllers::AllUses() const {
  std::vector<ResourceUse> uses;
  for (const BackendInstance& instance : current_()->instances()) {
    // A process that runs only some backends has permissions only for those.
    if (options_ && !Runs(std::string(instance.backend->name()))) continue;
    for (ResourceUse& use : UsesIn(instance)) uses.push_back(std::move(use));
  }
  return uses;
}

// Grove's operator neither writes Workloads nor reads schedulers' events.
std::vector<ResourceUse> BackendControllers::UsesIn(const BackendInstance& instance) const {
  std::vector<ResourceUse> uses = UsesOf(*instance.backend, instance.profile);
  if (!Policy().StaysWithinGroveRole()) return uses;
  const bool writes = instance.profile.Config().gangScheduling();
  if (instance.backend->name() == "default" && !writes) return {};
  std::erase_if(uses, [](const ResourceUse& use) { return !use.field_selector.empty(); });
  return uses;
}

// A change of an object that a gang owns enqueues the gang.
void BackendControllers::WatchServed() {
  for (const BackendInstance& instance : current_()->instances()) {
    const std::string id(instance.backend->name());
    if (!controllers_.contains(id)) continue;
    for (const ResourceUse& use : UsesIn(instance)) {
      if (!use.documents.empty() || IsPod(use.canary)) continue;
      if (!use.field_selector.empty()) {
        WatchEvents(id, use.field_selector);
        continue;
      }
      FollowObjects(id, use);
    }
  }
}

// Resources that are only read need an informer too, but enqueue nothing.
void BackendControllers::FollowObjects(const std::string& id, const ResourceUse& use) {
  kube::Informer* informer = state_.InformerOf(use.resource);
  if (informer == nullptr) return;
  if (!watched_.insert(id + ":" + Capabilities::Id(use.resource)).second) return;
  informer->OnFollowing([this, id] { CheckAvailable(id); });
  if (!use.write) return;
  informer->AddHandler([this, id](const kube::Change& change) {
    // If the owner reference was removed, use the previous owner.
    const Value& now = kube::ControllerOwner(change.object);
    const view::meta::OwnerReference owner(now.IsNull() ? kube::ControllerOwner(change.old_object)
                                                        : now);
    if (owner.kind() != api::kPodGangs.kind) return;
    manager_.Enqueue(ControllerName(id),
                     {std::string(kube::Namespace(change.object)), std::string(owner.name())});
  });
}

// A scheduler's event concerns the gang of the pod or object that it is about.
void BackendControllers::WatchEvents(const std::string& id, const std::string& field_selector) {
  if (!watched_.insert(id + ":" + field_selector).second) return;
  state_.FollowEvents(field_selector).AddHandler([this, id](const kube::Change& change) {
    if (change.type == kube::ChangeType::kDeleted) return;
    const auto gang = GangBehind(view::core::Event(change.object).involvedObject());
    if (gang) manager_.Enqueue(ControllerName(id), *gang);
  });
}

std::optional<api::ObjectKey> BackendControllers::GangBehind(view::core::ObjectReference involved) {
  const CacheView cluster(state_);
  const std::string ns(involved.namespace_());
  const api::ObjectKey key{ns, std::string(involved.name())};
  if (involved.kind() == api::kPods.kind) {
    const auto keys = GangKeyOf(cluster.Get(api::kPods, key).value_or(Value()));
    return keys.empty() ? std::nullopt : std::optional(keys.front());
  }
  for (const ResourceUse& use : AllUses()) {
    if (!use.write || use.resource.kind != involved.kind()) continue;
    const Value object = cluster.Get(use.resource, key).value_or(Value());
    const view::meta::OwnerReference owner(kube::ControllerOwner(object));
    if (owner.kind() == api::kPodGangs.kind) return api::ObjectKey{ns, std::string(owner.name())};
  }
  return std::nullopt;
}

std::vector<api::ObjectKey> BackendControllers::GangsBehind(const Value& placeholder) const {
  const std::string_view ns = kube::Namespace(placeholder);
  const std::string_view application = kube::Label(placeholder, labels::kApplication);
  for (const Value& pod : CacheView(state_).ApplicationPods(ns, application)) {
    if (auto keys = GangKeyOf(pod); !keys.empty()) return keys;
  }
  return {};
}

std::vector<api::ObjectKey> BackendControllers::GangsIn(std::string_view topology) const {
  std::vector<api::ObjectKey> keys;
  for (const Value& gang : CacheView(state_).List(api::kPodGangs)) {
    const auto annotations = view::grove::PodGang(gang).metadata().annotations();
    if (TopologyNameIn(annotations.Json()) == topology) {
      keys.push_back(kube::KeyOf(gang));
    }
  }
  return keys;
}

std::vector<api::ObjectKey> BackendControllers::GangsOf(std::string_view set) const {
  std::vector<api::ObjectKey> keys;
  for (const Value& gang : CacheView(state_).OwnedBy(api::kPodGangs, set)) {
    keys.push_back(kube::KeyOf(gang));
  }
  return keys;
}

void BackendControllers::EnqueueGangs(const std::string& id) {
  for (const Value& gang : CacheView(state_).List(api::kPodGangs)) {
    manager_.Enqueue(ControllerName(id), kube::KeyOf(gang));
  }
}

std::optional<std::string> BackendControllers::WhyUnavailable(
    const BackendInstance& instance) const {
  const base::Status readable = state_.Readable(UsesIn(instance));
  if (readable.Is(base::ErrorCode::kUnavailable)) return std::nullopt;
  if (!readable) return readable.error().message();
  GangInput input;
  input.gang = SampleGangs(UsualLevels()).front().gang;
  input.capabilities = state_.capabilities();
  input.cluster = std::make_shared<FixedView>(std::vector<Value>());
  input.profile = instance.profile;
  input.policy = &Policy();
  const Translation translation = TranslateGang(*instance.backend, input);
  const bool refused =
      translation.refusal && translation.refusal->reason == reasons::kBackendUnavailable;
  return refused ? translation.refusal->message : std::string();
}

void BackendControllers::CheckAvailable(const std::string& id) {
  const auto set = current_();
  const BackendInstance* instance = set->ByName(id);
  if (instance == nullptr) return;
  std::string why;
  {
    // Checks run one at a time, so the last one is right.
    const std::lock_guard lock(availability_mutex_);
    const std::optional<std::string> found = WhyUnavailable(*instance);
    if (!found) return;
    why = *found;
    runtime_.metrics.Set(std::string(kAvailable), {{"backend", id}}, why.empty() ? 1 : 0);
    const auto [known, first] = unavailable_.try_emplace(id, why);
    if (!first && std::exchange(known->second, why) == why) return;
  }
  if (why.empty()) {
    base::LogInfo("backend can work", {{"backend", id}});
  } else {
    base::LogInfo("backend cannot work yet", {{"backend", id}, {"why", why}});
  }
  EnqueueGangs(id);
}

}  // namespace coppice::backends
