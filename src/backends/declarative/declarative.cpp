#include "backends/declarative/declarative.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/edit/backendfiles.h"
#include "api/key/backendfiles.h"
#include "api/selectors/names.h"
#include "api/view/backendfiles.h"
#include "backends/declarative/members.h"
#include "backends/declarative/template.h"
#include "backends/framework/gang_document.h"
#include "backends/framework/ladder.h"
#include "backends/framework/pods.h"
#include "backends/model/fields.h"
#include "backends/model/options.h"
#include "backends/model/sample_gangs.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::backends::declarative {
namespace {

using json::Value;

struct ObjectTemplate {
  api::Resource resource;
  std::string for_each;
  Value tmpl;
  std::vector<FieldPath> immutable;
  std::vector<FieldPath> create_only;
};

base::Result<ObjectTemplate> ReadObject(view::backendfiles::DeclaredObject item,
                                        const std::string& path) {
  const view::backendfiles::DeclaredResource resource = item.resource();
  ObjectTemplate object;
  object.resource = {std::string(resource.group()), std::string(resource.version()),
                     std::string(resource.plural()), std::string(resource.kind()),
                     resource.namespaced(true)};
  using Key = key::backendfiles::DeclaredResource;
  for (const std::string_view key : {Key::version, Key::plural, Key::kind}) {
    if (resource.Json()[key].AsString().empty()) {
      return WrongField(fmt::format("{}.resource.{}", path, key), "is required");
    }
  }
  if (!item.template_().metadata().has_name()) {
    return WrongField(path + ".template.metadata.name", "is required");
  }
  if (!object.resource.namespaced) {
    return WrongField(
        path + ".resource.namespaced",
        "must be true: an object outside of the gang's namespace would outlive the gang");
  }
  object.for_each = item.forEach();
  object.tmpl = item.template_().Json();
  object.immutable = ReadPaths(item.immutable().Json());
  object.create_only = ReadPaths(item.createOnly().Json());
  return object;
}

class DeclaredBackend final : public SchedulerBackend {
 public:
  static base::Result<std::unique_ptr<SchedulerBackend>> Make(const Value& declaration) {
    auto backend = std::unique_ptr<DeclaredBackend>(new DeclaredBackend(declaration));
    COPPICE_TRY(backend->Read());
    COPPICE_TRY(backend->TryTemplates());
    return std::unique_ptr<SchedulerBackend>(std::move(backend));
  }

  std::string_view name() const override { return name_; }

  bool Matches(std::string_view scheduler_name) const override {
    return std::find(schedulers_.begin(), schedulers_.end(), scheduler_name) != schedulers_.end();
  }

  std::string PodSchedulerName(std::string_view scheduler_name) const override {
    return Matches(scheduler_name) ? std::string(scheduler_name) : schedulers_.front();
  }

  std::string SchedulingGate() const override {
    return std::string(Declared().has_gate() ? Declared().gate() : api::gates::kPodGang);
  }

  std::vector<ResourceUse> Resources() const override {
    std::vector<ResourceUse> uses;
    for (const ObjectTemplate& object : objects_) {
      uses.push_back({.resource = object.resource, .write = true});
    }
    return uses;
  }

  Translation Translate(const GangInput& input) const override {
    const TopologyPlan plan = Plan(input);
    Translation translation{.refusal = plan.refusal, .objects = {}, .outcomes = plan.outcomes};
    if (translation.refusal) return translation;
    const Value document = GangDocument(input);
    for (const ObjectTemplate& object : objects_) {
      if (!input.capabilities->Serves(object.resource)) {
        return Translation::Unserved(object.resource);
      }
      const base::Status added = AddObjects(input, object, document, translation);
      if (!added) {
        return Translation::Refuse(reasons::kInvalidGang, "", added.error().message());
      }
    }
    return translation;
  }

  bool PodsNeedGang() const override { return Declared().needsGang(); }

  base::Status MarkPod(const GangInput& input, const PodSlot& slot, Value& pod) const override {
    COPPICE_ASSIGN(const PodGroupInfo* group, FindGroup(input, slot));
    if (PodsNeedGang() && input.gang.uid.empty()) {
      return base::Unavailable(fmt::format("PodGang {} does not exist yet", input.gang.name));
    }
    AddPodAffinity(input.gang, Plan(input), slot.group, SpecOf(pod));
    return AddAllMarks(input, *group, slot.index, pod);
  }

  ReleaseRule Release(const GangInput&) const override {
    return {.hold_surplus = Declared().holdSurplus()};
  }

  Signals ReadSignals(const GangInput&, std::span<const Value> objects,
                      std::span<const Value>) const override {
    Signals signals;
    for (const Value& object : objects) {
      if (const auto said = MatchingSignal(object, Declared().status().unschedulable())) {
        signals.unschedulable_reason = Or(said.reason(), "Unschedulable");
        signals.unschedulable_message = said.message();
      }
      if (const auto said = MatchingSignal(object, Declared().status().unhealthy())) {
        signals.unhealthy_reason = Or(said.reason(), "Unhealthy");
      }
    }
    return signals;
  }

 private:
  explicit DeclaredBackend(const Value& declaration) : declaration_(declaration) {}

  view::backendfiles::Declaration Declared() const {
    return view::backendfiles::Declaration(declaration_);
  }

  base::Status Read() {
    COPPICE_TRY(CheckMembers(declaration_));
    name_ = Declared().name();
    if (name_.empty()) return WrongField("name", "a declared backend needs a name");
    // The name becomes a label of gangs and the gate a name in pods: invalid ones would fail later.
    if (const auto problems = api::LabelValueProblems(name_); !problems.empty()) {
      return WrongField(name_ + ".name", api::JoinProblems(problems));
    }
    if (const auto problems = api::LabelKeyProblems(SchedulingGate()); !problems.empty()) {
      return WrongField(name_ + ".gate", api::JoinProblems(problems));
    }
    for (const std::string_view scheduler : Declared().schedulerNames()) {
      schedulers_.emplace_back(scheduler);
    }
    if (schedulers_.empty())
      return WrongField(name_ + ".schedulerNames", "at least one is required");
    const auto objects = Declared().objects();
    for (size_t i = 0; i < objects.size(); ++i) {
      COPPICE_ASSIGN(ObjectTemplate object,
                     ReadObject(objects.At(i), fmt::format("{}.objects[{}]", name_, i)));
      objects_.push_back(std::move(object));
    }
    return ReadTopology();
  }

  base::Status ReadTopology() {
    static const std::set<std::string> kKnown = {"gang.required",   "gang.preferred",
                                                 "config.required", "config.preferred",
                                                 "group.required",  "group.preferred"};
    for (const std::string_view item : Declared().topology()) {
      if (!kKnown.contains(std::string(item))) {
        return WrongField(name_ + ".topology",
                          fmt::format("\"{}\" is not one of {}", item, fmt::join(kKnown, ", ")));
      }
      native_.emplace(item);
    }
    return {};
  }

  // Fills every template for gangs that use all features, so that a mistake is found at
  // configuration time and not by the first gang.
  base::Status TryTemplates() const {
    const TopologyLevels levels = UsualLevels();
    for (SampleGang& sample : SampleGangs(levels)) {
      GangInput input;
      input.gang = std::move(sample.gang);
      input.gang.priority_class_name = input.gang.base_gang = "sample";
      input.topology = levels;
      const Value document = GangDocument(input);
      Translation translation;
      for (size_t i = 0; i < objects_.size(); ++i) {
        const base::Status added = AddObjects(input, objects_[i], document, translation);
        if (!added) {
          return WrongField(fmt::format("{}.objects[{}].template", name_, i),
                            added.error().message());
        }
      }
      for (const PodGroupInfo& group : input.gang.pod_groups) {
        Value pod = Value::Object();
        const base::Status marked = AddAllMarks(input, group, 0, pod);
        if (!marked) return WrongField(name_ + ".pod", marked.error().message());
      }
    }
    return {};
  }

  TopologyPlan Plan(const GangInput& input) const {
    return PlanTopology(input, {.expressiveness = [this](const Scope& scope, bool required) {
                          const std::string kind = scope.kind == ScopeKind::kGang     ? "gang"
                                                   : scope.kind == ScopeKind::kConfig ? "config"
                                                                                      : "group";
                          const bool native =
                              native_.contains(kind + (required ? ".required" : ".preferred"));
                          return native ? Expressiveness::kNative : Expressiveness::kNone;
                        }});
  }

  static base::Status AddObjects(const GangInput& input, const ObjectTemplate& object,
                                 const Value& document, Translation& translation) {
    std::vector<Value> documents = {document};
    if (!object.for_each.empty()) {
      documents.clear();
      COPPICE_ASSIGN(const Value list, Lookup(document, object.for_each));
      for (const Value& element : list.Items()) {
        documents.push_back(document);
        edit::backendfiles::GangDocument(documents.back()).set_item(element);
      }
    }
    for (const Value& each : documents) {
      COPPICE_ASSIGN(Value filled, Fill(object.tmpl, each));
      if (filled.IsNull()) continue;  // A $if at the top.
      const edit::meta::PartialObjectMetadata edit(filled);
      edit.set_apiVersion(object.resource.ApiVersion()).set_kind(object.resource.kind);
      edit.metadata().set_namespace_(input.gang.ns);
      translation.objects.push_back({.resource = object.resource,
                                     .object = std::move(filled),
                                     .immutable = object.immutable,
                                     .create_only = object.create_only});
    }
    return {};
  }

  base::Status AddAllMarks(const GangInput& input, const PodGroupInfo& group, int64_t index,
                           Value& pod) const {
    Value document = GangDocument(input);
    const edit::backendfiles::GangDocument edit(document);
    const Value gang = edit.gang().Json();
    for (const auto candidate : view::backendfiles::Gang(gang).groups()) {
      if (candidate.name() == group.name) edit.set_group(candidate.Json());
    }
    const bool core = group.LastMinimum() > 0 && !IsSurplus(group, index);
    edit.pod().set_index(index).set_core(core);
    const view::backendfiles::DeclaredPod marks = Declared().pod();
    COPPICE_TRY(AddMarks(marks, document, pod));
    return core ? AddMarks(marks.coreOnly(), document, pod) : base::Status();
  }

  // For all pods, or for core pods.
  template <typename Marks>
  static base::Status AddMarks(Marks marks, const Value& document, Value& pod) {
    COPPICE_TRY(AddFilled(marks.labels().Json(), document, &SetLabel, pod));
    return AddFilled(marks.annotations().Json(), document, &SetAnnotation, pod);
  }

  static base::Status AddFilled(const Value& tmpl, const Value& document,
                                void (*set)(Value&, std::string_view, const Value&), Value& pod) {
    COPPICE_ASSIGN(const Value filled, Fill(tmpl, document));
    for (const json::Member& member : filled.Members()) {
      set(pod, member.name(),
          member.value.IsString() ? member.value : Value(json::Write(member.value)));
    }
    return {};
  }

  // The condition that a rule names, or the status itself if its phase matches; an empty view if
  // neither does.
  static view::backendfiles::DeclaredKindStatus MatchingSignal(
      const Value& object, view::backendfiles::DeclaredSignal rule) {
    static const Value kNone;
    using view::backendfiles::DeclaredKindStatus;
    if (rule.has_condition()) {
      const Value& condition = kube::Condition(object, rule.condition());
      const bool matches = view::meta::Condition(condition).status() == Or(rule.status(), "True");
      return DeclaredKindStatus(matches ? condition : kNone);
    }
    const DeclaredKindStatus status = view::backendfiles::DeclaredKind(object).status();
    const bool matches = rule.has_phase() && status.has_phase() && status.phase() == rule.phase();
    return matches ? status : DeclaredKindStatus(kNone);
  }

  const Value declaration_;
  std::string name_;
  std::vector<std::string> schedulers_;
  std::vector<ObjectTemplate> objects_;
  std::set<std::string> native_;
};

}  // namespace

base::Result<std::unique_ptr<SchedulerBackend>> MakeBackend(const Value& declaration) {
  return DeclaredBackend::Make(declaration);
}

}  // namespace coppice::backends::declarative
