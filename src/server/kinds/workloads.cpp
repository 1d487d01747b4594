#include "server/kinds/checks.h"
#include "server/kinds/kinds.h"
#include "server/kinds/pod/pod_spec.h"

// Deployment, ReplicaSet, StatefulSet, DaemonSet: a selector, a template and a way to roll out.
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
    ValidatePodTemplate(spec["template"], "spec.template", causes);
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
};

class ReplicaSetKind : public TemplateRules {
  std::vector<std::string_view> SelectableFields() const override { return {"status.replicas"}; }
  void DefaultSpec(json::Value& spec) const override { spec.SetDefault("replicas", 1); }
};

class DaemonSetKind : public TemplateRules {
  void DefaultSpec(json::Value& spec) const override {
    spec.SetDefault("revisionHistoryLimit", 10);
    DefaultRollingUpdate(spec.Mutable("updateStrategy"), 0, 1);
  }
};

class StatefulSetKind : public TemplateRules {
  void DefaultSpec(json::Value& spec) const override {
    spec.SetDefault("replicas", 1);
    spec.SetDefault("podManagementPolicy", "OrderedReady");
    spec.SetDefault("revisionHistoryLimit", 10);
    spec.SetDefault("persistentVolumeClaimRetentionPolicy",
                    json::Value::Object({{"whenDeleted", "Retain"}, {"whenScaled", "Retain"}}));
    json::Value& strategy = spec.Mutable("updateStrategy");
    if (!strategy.IsObject()) strategy = json::Value::Object();
    strategy.SetDefault("type", "RollingUpdate");
    if (strategy["type"].AsString() == "RollingUpdate") {
      strategy.Mutable("rollingUpdate").SetDefault("partition", 0);
    }
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

}  // namespace

std::shared_ptr<const KindRules> DeploymentRules() { return std::make_shared<DeploymentKind>(); }
std::shared_ptr<const KindRules> ReplicaSetRules() { return std::make_shared<ReplicaSetKind>(); }
std::shared_ptr<const KindRules> StatefulSetRules() { return std::make_shared<StatefulSetKind>(); }
std::shared_ptr<const KindRules> DaemonSetRules() { return std::make_shared<DaemonSetKind>(); }

}  // namespace coppice::server
