#include <fmt/format.h>

#include <charconv>

#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/claim_spec.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/pod/pod_spec.h"

// Deployment, ReplicaSet, StatefulSet, DaemonSet: a selector, a template and a way to roll out.
// PodTemplate: a template alone.
namespace coppice::server {
namespace {

void DefaultRollingUpdate(json::Value& strategy, const json::Value& surge,
                          const json::Value& unavailable) {
  if (!strategy.IsObject()) strategy = json::Value::Object();
  strategy.SetDefault("type", "RollingUpdate");
  if (strategy["type"].AsString() != "RollingUpdate") return;
  json::Value& rolling = strategy.Mutable("rollingUpdate");
  rolling.SetDefault("maxSurge", surge);
  rolling.SetDefault("maxUnavailable", unavailable);
}

bool IsNone(const json::Value& share) {
  return (share.IsInt() && share.AsInt() == 0) || share.AsString() == "0%";
}

// How many pods a rollout may add and remove. Only "unavailable" is limited to 100 %.
void CheckShares(const json::Value& rolling, const std::string& path, Causes& causes) {
  const json::Value& surge = rolling["maxSurge"];
  const std::string_view text = surge.AsString();
  const bool above = text.size() > 3 && text.back() == '%';
  if (!above) CheckShare(surge, api::Child(path, "maxSurge"), causes);
  CheckShare(rolling["maxUnavailable"], api::Child(path, "maxUnavailable"), causes);
}

// Counters of a status: none is negative, none of `parts` above the whole.
void CheckCounters(const json::Value& status, std::initializer_list<const char*> parts,
                   Causes& causes) {
  CheckNotNegative(status["replicas"], "status.replicas", causes);
  for (const char* part : parts) {
    const std::string path = api::Child("status", part);
    CheckNotNegative(status[part], path, causes);
    if (status[part].AsInt() <= status["replicas"].AsInt()) continue;
    causes.push_back(
        api::InvalidField(path, status[part].AsInt(), "cannot be greater than status.replicas"));
  }
  if (status["availableReplicas"].AsInt() <= status["readyReplicas"].AsInt()) return;
  causes.push_back(api::InvalidField("status.availableReplicas",
                                     status["availableReplicas"].AsInt(),
                                     "cannot be greater than readyReplicas"));
}

class TemplateRules : public KindRules {
 public:
  bool HasGeneration() const override { return true; }

  void Default(json::Value& object) const override {
    json::Value& spec = object.Mutable("spec");
    if (json::Value* pod_template = spec.FindMutable("template")) DefaultPodTemplate(*pod_template);
    DefaultSpec(spec);
  }

  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const json::Value& spec = object["spec"];
    CheckNotNegative(spec["replicas"], "spec.replicas", causes);
    CheckNotNegative(spec["minReadySeconds"], "spec.minReadySeconds", causes);
    CheckTemplateSelector(spec, "spec", causes);
    if (!spec["template"].IsObject()) {
      causes.push_back(api::RequiredField("spec.template"));
      return;
    }
    ValidatePodTemplate(TemplateOf(spec), "spec.template", causes);
    if (spec["template"]["spec"].Has("activeDeadlineSeconds")) {
      causes.push_back(api::ForbiddenField(
          "spec.template.spec.activeDeadlineSeconds",
          fmt::format("activeDeadlineSeconds in {} is not Supported", PodOwner())));
    }
    if (spec["template"]["spec"]["restartPolicy"].AsString() != "Always") {
      causes.push_back(api::UnsupportedField("spec.template.spec.restartPolicy",
                                             spec["template"]["spec"]["restartPolicy"],
                                             {"Always"}));
    }
  }

  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    CheckImmutable(object["spec"]["selector"], old["spec"]["selector"], "spec.selector", causes);
  }

 protected:
  // The kind that owns the pods.
  virtual const char* PodOwner() const { return "ReplicaSet"; }
  // The template that pods are made from.
  virtual json::Value TemplateOf(const json::Value& spec) const { return spec["template"]; }
  virtual void DefaultSpec(json::Value& spec) const = 0;
};

class DeploymentKind : public TemplateRules {
  // Its generation counts changes of annotations too: the controller copies them to replica sets.
  base::Status PrepareForUpdate(const RuleContext&, json::Value& object,
                                const json::Value& old) const override {
    const json::Value& before = old["metadata"];
    if (object["spec"] == old["spec"] &&
        object["metadata"]["annotations"] != before["annotations"]) {
      object.Mutable("metadata").Set("generation", before["generation"].AsInt() + 1);
    }
    return {};
  }
  void DefaultSpec(json::Value& spec) const override {
    spec.SetDefault("replicas", 1);
    spec.SetDefault("revisionHistoryLimit", 10);
    spec.SetDefault("progressDeadlineSeconds", 600);
    DefaultRollingUpdate(spec.Mutable("strategy"), "25%", "25%");
  }
  void Validate(const RuleContext& context, const json::Value& object,
                Causes& causes) const override {
    TemplateRules::Validate(context, object, causes);
    const json::Value& spec = object["spec"];
    CheckNotNegative(spec["revisionHistoryLimit"], "spec.revisionHistoryLimit", causes);
    const json::Value& strategy = spec["strategy"];
    const json::Value& rolling = strategy["rollingUpdate"];
    const std::string_view type = strategy["type"].AsString();
    if (type != "Recreate" && type != "RollingUpdate") {
      causes.push_back(
          api::UnsupportedField("spec.strategy", strategy, {"Recreate", "RollingUpdate"}));
    } else if (type == "Recreate" && rolling.IsObject()) {
      causes.push_back(
          api::ForbiddenField("spec.strategy.rollingUpdate",
                              "may not be specified when strategy `type` is 'Recreate'"));
    } else if (IsNone(rolling["maxSurge"]) && IsNone(rolling["maxUnavailable"])) {
      causes.push_back(api::InvalidField("spec.strategy.rollingUpdate.maxUnavailable",
                                         rolling["maxUnavailable"],
                                         "may not be 0 when `maxSurge` is 0"));
    } else if (type == "RollingUpdate") {
      CheckShares(rolling, "spec.strategy.rollingUpdate", causes);
    }
    const int64_t deadline = spec["progressDeadlineSeconds"].AsInt();
    if (deadline <= spec["minReadySeconds"].AsInt()) {
      causes.push_back(api::InvalidField("spec.progressDeadlineSeconds", deadline,
                                         "must be greater than minReadySeconds"));
    }
  }
  void ValidateStatusUpdate(const RuleContext&, const json::Value& object, const json::Value&,
                            Causes& causes) const override {
    CheckCounters(object["status"], {"updatedReplicas", "readyReplicas", "availableReplicas"},
                  causes);
  }
};

class ReplicaSetKind : public TemplateRules {
  std::vector<api::SelectableField> SelectableFields() const override {
    return {{"status.replicas", "0"}};
  }
  void DefaultSpec(json::Value& spec) const override { spec.SetDefault("replicas", 1); }
  void ValidateStatusUpdate(const RuleContext&, const json::Value& object, const json::Value&,
                            Causes& causes) const override {
    CheckCounters(object["status"], {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"},
                  causes);
  }
};

class DaemonSetKind : public TemplateRules {
  const char* PodOwner() const override { return "DaemonSet"; }
  void DefaultSpec(json::Value& spec) const override {
    spec.SetDefault("revisionHistoryLimit", 10);
    DefaultRollingUpdate(spec.Mutable("updateStrategy"), 0, 1);
  }
  base::Status PrepareForCreate(const RuleContext&, json::Value& object) const override {
    SetTemplateGeneration(1, object);
    return {};
  }
  base::Status PrepareForUpdate(const RuleContext&, json::Value& object,
                                const json::Value& old) const override {
    int64_t generation = 1;
    const std::string before = old["metadata"]["annotations"][kTemplateGeneration].ToString("1");
    std::from_chars(before.data(), before.data() + before.size(), generation);
    if (object["spec"]["template"] != old["spec"]["template"]) ++generation;
    SetTemplateGeneration(generation, object);
    return {};
  }
  void Validate(const RuleContext& context, const json::Value& object,
                Causes& causes) const override {
    TemplateRules::Validate(context, object, causes);
    const json::Value& strategy = object["spec"]["updateStrategy"];
    const std::string_view type = strategy["type"].AsString();
    if (type == "RollingUpdate") return CheckRolling(strategy["rollingUpdate"], causes);
    if (type == "OnDelete") return;
    causes.push_back(
        api::UnsupportedField("spec.updateStrategy", strategy, {"RollingUpdate", "OnDelete"}));
  }
  // Old pods go first, or new ones come first.
  static void CheckRolling(const json::Value& rolling, Causes& causes) {
    const std::string path = "spec.updateStrategy.rollingUpdate";
    CheckShares(rolling, path, causes);
    const bool surge = !IsNone(rolling["maxSurge"]), fewer = !IsNone(rolling["maxUnavailable"]);
    if (surge && fewer) {
      causes.push_back(api::InvalidField(api::Child(path, "maxSurge"), rolling["maxSurge"],
                                         "may not be set when maxUnavailable is non-zero"));
    } else if (!surge && !fewer) {
      causes.push_back(
          api::RequiredField(api::Child(path, "maxUnavailable"), "cannot be 0 when maxSurge is 0"));
    }
  }
  // Used by old controllers; Kubernetes still writes it.
  static constexpr const char* kTemplateGeneration = "deprecated.daemonset.template.generation";
  static void SetTemplateGeneration(int64_t generation, json::Value& object) {
    object.Mutable("metadata")
        .Mutable("annotations")
        .Set(kTemplateGeneration, std::to_string(generation));
  }
};

class StatefulSetKind : public TemplateRules {
  void DefaultSpec(json::Value& spec) const override {
    spec.SetDefault("replicas", 1);
    spec.SetDefault("podManagementPolicy", "OrderedReady");
    spec.SetDefault("revisionHistoryLimit", 10);
    json::Value& kept = spec.Mutable("persistentVolumeClaimRetentionPolicy");
    kept.SetDefault("whenDeleted", "Retain").SetDefault("whenScaled", "Retain");
    json::Value& strategy = spec.Mutable("updateStrategy");
    if (!strategy.IsObject()) strategy = json::Value::Object();
    strategy.SetDefault("type", "RollingUpdate");
    if (strategy["type"].AsString() == "RollingUpdate") {
      strategy.Mutable("rollingUpdate").SetDefault("partition", 0);
    }
    json::Value* claims = spec.FindMutable("volumeClaimTemplates");
    if (!claims || !claims->IsArray()) return;
    for (json::Value& claim : claims->MutableItems()) {
      claim.SetDefault("apiVersion", "v1").SetDefault("kind", "PersistentVolumeClaim");
      claim.Mutable("spec").SetDefault("volumeMode", "Filesystem");
      claim.Mutable("status").SetDefault("phase", "Pending");
    }
  }
  void Validate(const RuleContext& context, const json::Value& object,
                Causes& causes) const override {
    TemplateRules::Validate(context, object, causes);
    const json::Value& spec = object["spec"];
    const std::string_view order = spec["podManagementPolicy"].AsString();
    if (order != "OrderedReady" && order != "Parallel") {
      causes.push_back(api::InvalidField("spec.podManagementPolicy", spec["podManagementPolicy"],
                                         "must be 'OrderedReady' or 'Parallel'"));
    }
    const std::string_view type = spec["updateStrategy"]["type"].AsString();
    if (type != "RollingUpdate" && type != "OnDelete") {
      causes.push_back(api::InvalidField("spec.updateStrategy", spec["updateStrategy"],
                                         "must be 'RollingUpdate' or 'OnDelete'"));
    }
    CheckNotNegative(spec["updateStrategy"]["rollingUpdate"]["partition"],
                     "spec.updateStrategy.rollingUpdate.partition", causes);
    CheckNotNegative(spec["ordinals"]["start"], "spec.ordinals.start", causes);
    for (const char* when : {"whenDeleted", "whenScaled"}) {
      CheckOneOf(spec["persistentVolumeClaimRetentionPolicy"][when], {"Retain", "Delete"},
                 api::Child("spec.persistentVolumeClaimRetentionPolicy", when), causes);
    }
    const json::Value& claims = spec["volumeClaimTemplates"];
    for (size_t i = 0; i < claims.size(); ++i) {
      ValidateClaimSpec(claims.At(i)["spec"],
                        api::Child(api::Index("spec.volumeClaimTemplates", i), "spec"), causes);
    }
  }

  // Its claims are volumes of its pods.
  json::Value TemplateOf(const json::Value& spec) const override {
    json::Value pods = spec["template"];
    for (const json::Value& claim : spec["volumeClaimTemplates"].Items()) {
      const json::Value& name = claim["metadata"]["name"];
      pods.Mutable("spec").Mutable("volumes").Append(json::Value::Object(
          {{"name", name}, {"persistentVolumeClaim", json::Value::Object({{"claimName", name}})}}));
    }
    return pods;
  }

  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    json::Value now = object["spec"], before = old["spec"];
    for (const char* field :
         {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
          "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
      now.Erase(field);
      before.Erase(field);
    }
    if (now == before) return;
    causes.push_back(api::ForbiddenField(
        "spec",
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
        "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
        "'minReadySeconds' are forbidden"));
  }
};

class PodTemplateKind : public KindRules {
  bool HasGeneration() const override { return true; }
  void Default(json::Value& object) const override {
    if (json::Value* found = object.FindMutable("template")) DefaultPodTemplate(*found);
  }
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    ValidatePodTemplate(object["template"], "template", causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> PodTemplateRules() { return std::make_shared<PodTemplateKind>(); }
std::shared_ptr<const KindRules> DeploymentRules() { return std::make_shared<DeploymentKind>(); }
std::shared_ptr<const KindRules> ReplicaSetRules() { return std::make_shared<ReplicaSetKind>(); }
std::shared_ptr<const KindRules> StatefulSetRules() { return std::make_shared<StatefulSetKind>(); }
std::shared_ptr<const KindRules> DaemonSetRules() { return std::make_shared<DaemonSetKind>(); }

}  // namespace coppice::server
