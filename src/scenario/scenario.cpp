#include "scenario/scenario.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <random>

#include "api/edit/autoscaling.h"
#include "api/edit/meta.h"
#include "api/view/meta.h"
#include "api/view/scenario.h"
#include "api/well_known.h"
#include "base/files.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "kube/client/faulty_client.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "operator/runtime/config_file.h"
#include "scenario/expectation.h"
#include "scenario/invariants/invariants.h"
#include "scenario/shorthand.h"
#include "scenario/traced_client.h"
#include "stack/components.h"
#include "stack/stack.h"

namespace coppice::scenario {
namespace {

using json::Value;
using view::scenario::Scenario;
using view::scenario::Step;
using view::scenario::Target;

constexpr base::Duration kDefaultWithin = std::chrono::seconds(60);
constexpr base::Duration kWhyWithin = std::chrono::seconds(10);
constexpr base::Duration kCheckEvery = std::chrono::milliseconds(500);
// Until what a crash has cut in two must be whole again.
constexpr base::Duration kGangGrace = std::chrono::minutes(2);
// Until a watch that kept failing is tried again.
constexpr base::Duration kWatchRetry = std::chrono::minutes(1);
// How much longer an expectation may take while calls fail.
constexpr base::Duration kFaultPatience = std::chrono::minutes(10);
// At rest nothing is written for this long; tried so often.
constexpr base::Duration kRest = std::chrono::minutes(3);
constexpr int kRests = 10;
constexpr int kStarts = 100;  // Of a process, a second apart.

base::Result<api::Resource> ResourceOf(const Value& object) {
  const std::string_view kind = kube::Kind(object);
  const std::string_view version = kube::ApiVersion(object);
  if (const auto known = api::FindResource(kind, version)) return *known;
  const size_t slash = version.find('/');
  if (slash == std::string_view::npos) {
    return base::InvalidArgument("unknown kind in " + json::Write(object));
  }
  // One that the scenario has defined by itself, with a regular plural.
  std::string plural(kind);
  for (char& c : plural) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return api::Resource{.group = std::string(version.substr(0, slash)),
                       .version = std::string(version.substr(slash + 1)),
                       .plural = plural + "s",
                       .kind = std::string(kind)};
}

base::Result<base::Duration> DurationOf(const Value& value, base::Duration fallback) {
  return value.IsNull() ? base::Result<base::Duration>(fallback)
                        : base::ParseDuration(value.AsString());
}

kube::PatchType PatchTypeOf(std::string_view name) {
  if (name == "json") return kube::PatchType::kJson;
  return name == "strategic" ? kube::PatchType::kStrategic : kube::PatchType::kMerge;
}

// {error: 0.1, watchCut: 0.2, …}: see kube/client/faulty_client.h. {} ends them.
kube::Faults FaultsOf(view::scenario::Faults faults) {
  return {.error = faults.error(),
          .conflict = faults.conflict(),
          .error_after_write = faults.errorAfterWrite(),
          .stale_read = faults.staleRead(),
          .watch_cut = faults.watchCut(),
          .watch_expired = faults.watchExpired()};
}

bool HasFaults(Scenario scenario) {
  for (const Step step : scenario.steps()) {
    if (step.has_faults()) return true;
  }
  return false;
}

// Of a run whose calls fail all the while.
constexpr kube::Faults kStandingFaults{.error = 0.05,
                                       .conflict = 0.05,
                                       .error_after_write = 0.03,
                                       .watch_cut = 0.1,
                                       .watch_expired = 0.02};

// How often the operator's guarded write meets a conflict, and a step is followed by its crash, in
// a disturbed run.
constexpr double kConflict = 0.05;
constexpr double kCrash = 0.1;

class Run {
 public:
  Run(Scenario scenario, const ScenarioOptions& options)
      : scenario_(scenario), options_(options), stepper_(options.seed), random_(options.seed) {}

  base::Status Go() {
    COPPICE_TRY(Prepare());
    const auto steps = scenario_.steps();
    for (size_t i = 0; i < steps.size(); ++i) {
      const base::Status status = Take(steps.At(i));
      if (!status) {
        Dump();
        return status.error().During(
            fmt::format("{}: step {} (seed {})", scenario_.name(), i + 1, options_.seed));
      }
    }
    if (options_.seed != 0 || scenario_.has_restless()) return {};
    const base::Status rest = ComeToRest();
    return rest ? rest : rest.error().During(std::string(scenario_.name()));
  }

 private:
  base::Status Prepare() {
    stack::StackOptions stack;
    COPPICE_ASSIGN(stack.shape, sim::ReadClusterShape(scenario_.cluster().Json()));
    COPPICE_ASSIGN(stack.components, stack::ParseComponents(scenario_.components("all")));
    COPPICE_ASSIGN(stack.rivals, stack::ParseComponents(scenario_.rivals("none")));
    stack.services.admission.block_nvidia_visible_devices =
        scenario_.admission().blockNvidiaVisibleDevices();
    stack.kubernetes_version = scenario_.kubernetes("1.35");
    stack.seed = options_.seed;
    if (options_.faults || HasFaults(scenario_)) {
      stack.decorate = [this](kube::Client& server) {
        auto faults =
            std::make_unique<kube::FaultyClient>(server, stepper_, kube::Faults{}, options_.seed);
        faulty_client_ = faults.get();
        return faults;
      };
    }
    if (std::getenv("COPPICE_SCENARIO_TRACE") != nullptr) Trace(stack);
    stack.operator_conflicts = options_.disturbed ? kConflict : 0;
    COPPICE_ASSIGN(stack.operator_config,
                   operators::ReadConfig(scenario_.operator_(), stack::DefaultOperatorConfig()));
    COPPICE_ASSIGN(stack_, stack::Stack::Make(stepper_, std::move(stack)));
    COPPICE_TRY(InstallForeign());
    COPPICE_TRY(ApplyAll(scenario_.before()));
    COPPICE_TRY(stack_->Start());
    stepper_.RunUntilIdle();
    if (options_.faults) SetFaults(Value::Object());
    return {};
  }

  base::Status InstallForeign() {
    for (const std::string_view project : scenario_.schedulers()) {
      if (!options_.crds) return base::InvalidArgument("this runner has no kinds of others");
      for (Value& crd : options_.crds(std::string(project))) {
        COPPICE_TRY(stack_->server().InstallCrd(crd));
        foreign_.push_back(std::move(crd));
      }
    }
    return {};
  }

  base::Result<api::Resource> KindOf(const Value& object) const {
    if (const auto foreign = sim::DefinedIn(foreign_, object)) return *foreign;
    return ResourceOf(object);
  }

  void SetFaults(const Value& wanted) {
    const bool standing = options_.faults && wanted.empty();
    faulty_client_->SetFaults(standing ? kStandingFaults
                                       : FaultsOf(view::scenario::Faults(wanted)));
    faults_ = standing || !wanted.empty();
    caches_lag_until_ = stepper_.Now() + kWatchRetry;
  }

  void Trace(stack::StackOptions& stack) {
    stack.decorate = [this, decorate = stack.decorate](kube::Client& server) {
      if (decorate) traced_ = decorate(server);
      return std::make_unique<TracedClient>(traced_ ? *traced_ : server, stepper_);
    };
  }

  kube::Client& client() { return stack_->client(); }

  // Nobody touches anything any more: the components write what they have left to, and no more.
  base::Status ComeToRest() {
    for (int i = 0; i < kRests; ++i) {
      COPPICE_ASSIGN(const std::string before, Version());
      if (!stepper_.RunFor(kRest)) return base::Internal("the components never come to rest");
      COPPICE_ASSIGN(const std::string after, Version());
      if (before == after) return {};
    }
    return base::Internal("the components write for ever");
  }

  // Of everything: each write moves it.
  base::Result<std::string> Version() {
    COPPICE_ASSIGN(const kube::ObjectList any, client().List(api::kNamespaces, {}));
    return any.resource_version;
  }

  // What there was when a step failed, for whoever looks into it.
  void Dump() {
    if (std::getenv("COPPICE_SCENARIO_DUMP") == nullptr) return;
    for (const api::Resource& resource :
         {api::kPodCliqueSets, api::kPodCliques, api::kPodGangs, api::kPodGroups, api::kPods,
          api::kBindRequests, api::kResourceClaims, api::kEvents}) {
      const auto list = client().List(resource, {});
      if (!list) continue;
      for (Value object : list.value().items) {
        edit::meta::PartialObjectMetadata(object).metadata().clear_managedFields();
        fmt::print(stderr, "---\n{}", json::WriteYaml(object));
      }
    }
  }

  base::Status Take(Step step) {
    COPPICE_TRY(Act(step));
    COPPICE_TRY(invariants_.Accept(client(), stepper_.Now()));
    COPPICE_TRY(Restart(step));
    COPPICE_TRY(MaybeCrash());
    if (step.has_faults()) SetFaults(step.faults().Json());
    crashed_ = crashed_ || faults_ || step.restart();
    COPPICE_ASSIGN(const base::Duration advance,
                   DurationOf(step.advance(), base::Duration::zero()));
    if (!stepper_.RunFor(advance)) return base::Internal("the components never come to rest");
    COPPICE_TRY(Expect(step));
    COPPICE_TRY(Each(step.why(), &Run::ExpectWhy));
    if (step.has_remember()) COPPICE_TRY(Remember(step.remember()));
    if (step.has_keep()) COPPICE_TRY(Keep(std::string(step.keep())));
    return CheckInvariants();
  }

  // What a user does in this step.
  base::Status Act(Step step) {
    if (step.has_apply()) COPPICE_TRY(ApplyAll(step.apply()));
    COPPICE_ASSIGN(const std::vector<Value> objects, ExpandObjects(step.Json()));
    for (const Value& object : objects) COPPICE_TRY(Apply(object));
    if (step.has_patch()) COPPICE_TRY(Each(step.patch(), &Run::Patch));
    if (step.has_bind()) COPPICE_TRY(Each(step.bind(), &Run::Bind));
    if (step.has_placeholders()) COPPICE_TRY(Each(step.placeholders(), &Run::StandIn));
    if (step.has_scale()) COPPICE_TRY(Scale(step.scale()));
    if (step.has_delete_()) COPPICE_TRY(Each(step.delete_(), &Run::Delete));
    if (step.has_refuse()) COPPICE_TRY(Each(step.refuse(), &Run::Refuse));
    return {};
  }

  base::Status MaybeCrash() {
    if (!options_.disturbed || !std::bernoulli_distribution(kCrash)(random_)) return {};
    return stack_->RestartOperator();
  }

  base::Status Remember(view::Map<Target> groups) {
    for (const auto& [name, group] : groups) {
      COPPICE_ASSIGN(const api::Resource resource, KindOf(group.Json()));
      COPPICE_ASSIGN(const auto list,
                     client().List(resource, {.ns = resource.namespaced ? "default" : "",
                                              .label_selector = std::string(group.labels())}));
      std::set<std::string>& uids = remembered_[std::string(name)];
      uids.clear();
      for (const Value& object : list.items) uids.insert(std::string(kube::Uid(object)));
    }
    return {};
  }

  base::Status Restart(Step step) {
    if (step.has_operator_()) {
      COPPICE_ASSIGN(operators::Config config,
                     operators::ReadConfig(step.operator_(), stack::DefaultOperatorConfig()));
      COPPICE_TRY(UntilStarted(stack_->StartWith(std::move(config))));
    }
    if (step.restart()) COPPICE_TRY(UntilStarted(stack_->Start()));
    if (!step.has_components()) return {};
    COPPICE_ASSIGN(auto components, stack::ParseComponents(step.components()));
    return UntilStarted(stack_->StartWith(std::move(components)));
  }

  // A process that cannot start while the server is in trouble is started again.
  base::Status UntilStarted(base::Status started) {
    for (int i = 0; i < kStarts && faults_ && !started; ++i) {
      stepper_.RunFor(std::chrono::seconds(1));
      started = stack_->Start();
    }
    return started;
  }

  // One target, or a list of them.
  base::Status Each(const Value& targets, base::Status (Run::*act)(const Value&)) {
    if (targets.IsObject()) return (this->*act)(targets);
    for (const Value& target : targets.Items()) COPPICE_TRY((this->*act)(target));
    return {};
  }

  base::Status Keep(const std::string& selector) {
    COPPICE_ASSIGN(const kube::ObjectList pods,
                   client().List(api::kPods, {.label_selector = selector}));
    if (pods.items.empty()) return base::Internal("no pod to keep has " + selector);
    for (const Value& pod : pods.items) kept_.push_back(pod);
    return {};
  }

  // "" while every pod to be kept is what it was.
  std::string Lost() {
    for (const Value& pod : kept_) {
      const auto now = client().Get(api::kPods, kube::KeyOf(pod));
      if (!now || kube::Uid(*now) != kube::Uid(pod) || kube::IsDeleting(*now)) {
        return fmt::format("pod {} was taken away", kube::Name(pod));
      }
    }
    return "";
  }

  base::Status ApplyAll(const Value& objects) {
    if (objects.IsObject()) return Apply(objects);
    for (const Value& object : objects.Items()) COPPICE_TRY(Apply(object));
    return {};
  }

  base::Status Apply(Value object) {
    COPPICE_ASSIGN(const api::Resource resource, KindOf(object));
    if (resource.namespaced && kube::Namespace(object).empty()) {
      edit::meta::PartialObjectMetadata(object).metadata().set_namespace_("default");
    }
    COPPICE_TRY(CompleteOwners(object));
    const auto created = client().Create(resource, object);
    if (created) return {};
    if (!created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
    const auto patched =
        client().Patch(resource, kube::KeyOf(object), kube::PatchType::kMerge, object);
    if (!patched) return patched.error();
    return {};
  }

  // A scenario cannot know uids.
  base::Status CompleteOwners(Value& object) {
    const view::meta::PartialObjectMetadata view(object);
    if (view.metadata().ownerReferences().empty()) return {};
    const std::string ns(kube::Namespace(object));
    const auto owners = edit::meta::PartialObjectMetadata(object).metadata().ownerReferences();
    for (size_t i = 0; i < owners.size(); ++i) {
      const edit::meta::OwnerReference edit = owners.At(i);
      const view::meta::OwnerReference owner(edit.Json());
      if (owner.has_uid()) continue;
      COPPICE_ASSIGN(const api::Resource resource, KindOf(owner.Json()));
      COPPICE_ASSIGN(const Value found, client().Get(resource, {resource.namespaced ? ns : "",
                                                                std::string(owner.name())}));
      edit.set_uid(kube::Uid(found));
    }
    return {};
  }

  static api::ObjectKey KeyIn(const api::Resource& resource, Target target) {
    return {std::string(resource.namespaced ? target.ns("default") : ""),
            std::string(target.name())};
  }

  base::Status Patch(const Value& wanted) {
    const Target target(wanted);
    COPPICE_ASSIGN(const api::Resource resource, KindOf(wanted));
    if (target.has_name()) return PatchOne(resource, KeyIn(resource, target), target);
    COPPICE_ASSIGN(const kube::ObjectList all,
                   client().List(resource, {.ns = std::string(target.ns("default")),
                                            .label_selector = std::string(target.labels())}));
    if (all.items.empty()) return base::Internal("nothing to patch: " + json::Write(wanted));
    for (const Value& one : all.items) COPPICE_TRY(PatchOne(resource, kube::KeyOf(one), target));
    return {};
  }

  base::Status PatchOne(const api::Resource& resource, const api::ObjectKey& key, Target target) {
    COPPICE_TRY(client().Patch(resource, key, PatchTypeOf(target.type()), target.patch(),
                               {.subresource = std::string(target.subresource())}));
    return {};
  }

  base::Status Bind(const Value& target) { return sim::BindPods(client(), target); }
  base::Status StandIn(const Value& target) { return sim::MakePlaceholders(client(), target); }

  base::Status Scale(Target target) {
    COPPICE_ASSIGN(const api::Resource resource, KindOf(target.Json()));
    Value patch = Value::Object();
    edit::autoscaling::Scale(patch).spec().set_replicas(target.replicas());
    COPPICE_TRY(client().Patch(resource, KeyIn(resource, target), kube::PatchType::kMerge, patch,
                               {.subresource = "scale"}));
    return {};
  }

  base::Status Delete(const Value& wanted) {
    const Target target(wanted);
    COPPICE_ASSIGN(const api::Resource resource, KindOf(wanted));
    kube::DeleteOptions options{.propagation = std::string(target.propagation("Background"))};
    if (target.has_name()) return client().Delete(resource, KeyIn(resource, target), options);
    return client().DeleteCollection(
        resource,
        {.ns = std::string(target.ns("default")), .label_selector = std::string(target.labels())},
        options);
  }

  base::Status Refuse(const Value& wanted) {
    const view::scenario::Refusal refusal(wanted);
    const base::Status applied =
        refusal.has_patch() ? Patch(refusal.patch().Json()) : ApplyAll(refusal.apply());
    if (applied.ok()) return base::Internal("accepted what should be refused");
    const std::string& message = applied.error().message();
    if (message.find(refusal.message()) != std::string::npos) return {};
    return base::Internal(
        fmt::format("refused with \"{}\", wanted \"{}\"", message, refusal.message()));
  }

  // "" when every expectation holds, else the first that does not.
  std::string Unmet(const Value& expectations) {
    for (const Value& expectation : expectations.Items()) {
      const auto problem = CheckExpectation(client(), expectation, remembered_);
      if (!problem) return problem.error().message();
      if (!problem->empty()) return *problem;
    }
    return "";
  }

  base::Status Expect(Step step) {
    COPPICE_ASSIGN(base::Duration within, DurationOf(step.within(), kDefaultWithin));
    if (options_.faults) within += kFaultPatience;
    COPPICE_ASSIGN(const base::Duration hold, DurationOf(step.hold(), base::Duration::zero()));
    const Value wanted = ExpandExpectations(step.Json());
    stepper_.RunUntilIdle();
    std::string unmet = Unmet(wanted);
    for (base::Duration waited{0}; !unmet.empty() && waited < within; waited += kCheckEvery) {
      COPPICE_TRY(Tick());
      const std::string broken = IsExcused() ? "" : Unmet(step.meanwhile().Json());
      if (!broken.empty()) {
        return base::Internal("meanwhile " + broken);
      }
      unmet = Unmet(wanted);
    }
    for (base::Duration held{0}; unmet.empty() && held < hold; held += kCheckEvery) {
      COPPICE_TRY(Tick());
      unmet = Unmet(wanted);
    }
    if (!unmet.empty() && !IsExcused()) return base::Internal(unmet);
    return {};
  }

  // As long as it takes conditions to settle; what is said is about this moment.
  base::Status ExpectWhy(const Value& expected) {
    const view::scenario::Why wanted(expected);
    if (!options_.why) return base::InvalidArgument("this runner cannot ask why");
    std::string problem = "nothing was asked";
    for (base::Duration waited{0}; !problem.empty() && waited < kWhyWithin; waited += kCheckEvery) {
      if (waited > base::Duration::zero()) COPPICE_TRY(Tick());
      const auto answers = options_.why(client(), stepper_, std::string(wanted.ns("default")),
                                        std::string(wanted.of()));
      problem = answers ? CheckWhy(expected, *answers) : answers.error().message();
    }
    return problem.empty() ? base::Status() : base::Internal(problem);
  }

  bool IsExcused() const { return options_.faults && scenario_.has_faults(); }

  base::Status Tick() {
    if (!stepper_.RunFor(kCheckEvery)) return base::Internal("the components never come to rest");
    return CheckInvariants();
  }

  base::Status CheckInvariants() {
    stepper_.RunUntilIdle();
    Invariants::Scope scope{.gang_grace = crashed_ ? kGangGrace : base::Duration::zero()};
    const bool lagging = faults_ || stepper_.Now() < caches_lag_until_;
    if (!lagging && stack_->Runs("scheduler") && stack_->manager().Synced()) {
      scope.at_rest = &stack_->manager();
    }
    COPPICE_ASSIGN(auto violations, invariants_.Check(client(), stepper_.Now(), scope));
    if (std::string lost = Lost(); !lost.empty()) violations.push_back(std::move(lost));
    if (violations.empty()) return {};
    return base::Internal("broken: " + fmt::format("{}", fmt::join(violations, "; ")));
  }

  const Scenario scenario_;
  ScenarioOptions options_;
  kube::Stepper stepper_;
  std::mt19937_64 random_;
  Remembered remembered_;
  std::unique_ptr<kube::Client> traced_;  // Null where nothing is traced, or the server itself is.
  std::unique_ptr<stack::Stack> stack_;
  kube::FaultyClient* faulty_client_ = nullptr;  // Of the stack, where a step asks for faults.
  std::vector<Value> foreign_;                   // Definitions of other schedulers' kinds.
  Invariants invariants_;
  bool faults_ = false;   // Calls fail on purpose just now.
  bool crashed_ = false;  // Calls have failed, or components have died.
  base::Time caches_lag_until_;
  std::vector<Value> kept_;  // Pods that nobody may take away.
};

}  // namespace

base::Status RunScenario(const Value& scenario, const ScenarioOptions& options) {
  return Run(Scenario(scenario), options).Go();
}

base::Status RunScenarioFile(const std::string& path, const ScenarioOptions& options) {
  COPPICE_ASSIGN(const std::string text, base::ReadFile(path));
  COPPICE_ASSIGN(const std::vector<Value> scenarios, json::ParseYamlDocuments(text));
  if (scenarios.empty()) return base::InvalidArgument("no scenario in " + path);
  std::vector<std::string> problems;
  for (const Value& scenario : scenarios) {
    const base::Status status = RunScenario(scenario, options);
    if (!status) problems.push_back(status.error().message());
  }
  if (problems.empty()) return {};
  return base::Internal(fmt::format("{}", fmt::join(problems, "\n")));
}

}  // namespace coppice::scenario
