#include "backends/declarative/declarative.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/selectors/names.h"
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

base::Result<ObjectTemplate> ReadObject(const Value& item, const std::string& path) {
  const Value& resource = item["resource"];
  ObjectTemplate object;
  object.resource = {resource["group"].ToString(), resource["version"].ToString(),
                     resource["plural"].ToString(), resource["kind"].ToString(),
                     resource["namespaced"].AsBool(true)};
  for (const std::string_view key : {"version", "plural", "kind"}) {
    if (resource[key].AsString().empty()) {
      return WrongField(fmt::format("{}.resource.{}", path, key), "is required");
    }
  }
  if (!item["template"]["metadata"].Has("name")) {
    return WrongField(path + ".template.metadata.name", "is required");
  }
  if (!object.resource.namespaced) {
    return WrongField(
        path + ".resource.namespaced",
        "must be true: an object outside of the gang's namespace would outlive the gang");
  }
  object.for_each = item["forEach"].ToString();
  object.tmpl = item["template"];
  object.immutable = ReadPaths(item["immutable"]);
  object.create_only = ReadPaths(item["createOnly"]);
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
    return declaration_["gate"].ToString(api::gates::kPodGang);
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

  bool PodsNeedGang() const override { return declaration_["needsGang"].AsBool(); }

  base::Status MarkPod(const GangInput& input, const PodSlot& slot, Value& pod) const override {
    COPPICE_ASSIGN(const PodGroupInfo* group, FindGroup(input, slot));
    if (PodsNeedGang() && input.gang.uid.empty()) {
      return base::Unavailable(fmt::format("PodGang {} does not exist yet", input.gang.name));
    }
    AddPodAffinity(input.gang, Plan(input), slot.group, pod.Mutable("spec"));
    return AddAllMarks(input, *group, slot.index, pod);
  }

  ReleaseRule Release(const GangInput&) const override {
    return {.hold_surplus = declaration_["holdSurplus"].AsBool()};
  }

  Signals ReadSignals(const GangInput&, std::span<const Value> objects,
                      std::span<const Value>) const override {
    Signals signals;
    for (const Value& object : objects) {
      const Value* condition = MatchingSignal(object, declaration_["status"]["unschedulable"]);
      if (condition != nullptr) {
        signals.unschedulable_reason = (*condition)["reason"].ToString("Unschedulable");
        signals.unschedulable_message = (*condition)["message"].ToString();
      }
      condition = MatchingSignal(object, declaration_["status"]["unhealthy"]);
      if (condition != nullptr) {
        signals.unhealthy_reason = (*condition)["reason"].ToString("Unhealthy");
      }
    }
    return signals;
  }

 private:
  explicit DeclaredBackend(const Value& declaration) : declaration_(declaration) {}

  base::Status Read() {
    COPPICE_TRY(CheckMembers(declaration_));
    name_ = declaration_["name"].ToString();
    if (name_.empty()) return WrongField("name", "a declared backend needs a name");
    // It becomes a label of gangs, the gate a name in pods: both would be refused later.
    if (const auto problems = api::LabelValueProblems(name_); !problems.empty()) {
      return WrongField(name_ + ".name", api::JoinProblems(problems));
    }
    if (const auto problems = api::LabelKeyProblems(SchedulingGate()); !problems.empty()) {
      return WrongField(name_ + ".gate", api::JoinProblems(problems));
    }
    for (const Value& scheduler : declaration_["schedulerNames"].Items()) {
      schedulers_.push_back(scheduler.ToString());
    }
    if (schedulers_.empty())
      return WrongField(name_ + ".schedulerNames", "at least one is required");
    const Value& objects = declaration_["objects"];
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
    for (const Value& item : declaration_["topology"].Items()) {
      if (!kKnown.contains(item.ToString())) {
        return WrongField(
            name_ + ".topology",
            fmt::format("\"{}\" is not one of {}", item.AsString(), fmt::join(kKnown, ", ")));
      }
      native_.insert(item.ToString());
    }
    return {};
  }

  // Fills every template for gangs that have all there is, so that a mistake is found with the
  // configuration and not by the first gang.
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
    return PlanTopology(input, {.rung = [this](const Scope& scope, bool required) {
                          const std::string kind = scope.kind == ScopeKind::kGang     ? "gang"
                                                   : scope.kind == ScopeKind::kConfig ? "config"
                                                                                      : "group";
                          const bool native =
                              native_.contains(kind + (required ? ".required" : ".preferred"));
                          return native ? Rung::kNative : Rung::kNone;
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
        documents.back().Set("item", element);
      }
    }
    for (const Value& each : documents) {
      COPPICE_ASSIGN(Value filled, Fill(object.tmpl, each));
      if (filled.IsNull()) continue;  // A $if at the top.
      filled.Set("apiVersion", object.resource.ApiVersion());
      filled.Set("kind", object.resource.kind);
      filled.Mutable("metadata").Set("namespace", input.gang.ns);
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
    const Value gang = document["gang"];
    for (const Value& candidate : gang["groups"].Items()) {
      if (candidate["name"].AsString() == group.name) document.Set("group", candidate);
    }
    const bool core = group.LastMinimum() > 0 && !IsSurplus(group, index);
    document.Set("pod", Value::Object({{"index", index}, {"core", core}}));
    COPPICE_TRY(AddMarks(declaration_["pod"], document, pod));
    return core ? AddMarks(declaration_["pod"]["coreOnly"], document, pod) : base::Status();
  }

  static base::Status AddMarks(const Value& marks, const Value& document, Value& pod) {
    for (const std::string_view kind : {"labels", "annotations"}) {
      COPPICE_ASSIGN(const Value filled, Fill(marks[kind], document));
      for (const json::Member& member : filled.Members()) {
        const Value text =
            member.value.IsString() ? member.value : Value(json::Write(member.value));
        if (kind == "labels") {
          SetLabel(pod, member.name(), text);
        } else {
          SetAnnotation(pod, member.name(), text);
        }
      }
    }
    return {};
  }

  // The condition that a rule asks for, or the status itself when its phase matches.
  static const Value* MatchingSignal(const Value& object, const Value& rule) {
    if (rule.Has("condition")) {
      const Value& condition = kube::Condition(object, rule["condition"].AsString());
      const bool matches = condition["status"].AsString() == rule["status"].AsString("True");
      return matches ? &condition : nullptr;
    }
    const Value& status = object["status"];
    const bool matches = rule.Has("phase") && status["phase"] == rule["phase"];
    return matches ? &status : nullptr;
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
