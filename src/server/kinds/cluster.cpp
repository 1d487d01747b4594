#include "kube/object.h"
#include "server/kinds/checks.h"
#include "server/kinds/kinds.h"

// Node, Event, Lease, RuntimeClass.
namespace coppice::server {
namespace {

class NodeKind : public KindRules {
 public:
  std::vector<std::string_view> SelectableFields() const override { return {"spec.unschedulable"}; }
  void Validate(const RuleContext&, const json::Value& node, Causes& causes) const override {
    const json::Value& taints = node["spec"]["taints"];
    for (size_t i = 0; i < taints.size(); ++i) {
      const std::string path = api::Index("spec.taints", i);
      CheckProblems(taints.At(i)["key"], api::LabelKeyProblems(taints.At(i)["key"].AsString()),
                    api::Child(path, "key"), causes);
      CheckOneOf(taints.At(i)["effect"], {"NoSchedule", "PreferNoSchedule", "NoExecute"},
                 api::Child(path, "effect"), causes);
    }
  }
};

class EventKind : public KindRules {
 public:
  std::vector<std::string_view> SelectableFields() const override {
    return {"involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type"};
  }
  void Validate(const RuleContext&, const json::Value& event, Causes& causes) const override {
    const std::string_view about = event["involvedObject"]["namespace"].AsString();
    const std::string_view ns = kube::Namespace(event);
    if (about.empty() ? ns == "default" || ns == "kube-system" : about == ns) return;
    causes.push_back(api::InvalidField("involvedObject.namespace",
                                       event["involvedObject"]["namespace"].AsString(),
                                       "does not match event.namespace"));
  }
};

class LeaseKind : public KindRules {
 public:
  void Validate(const RuleContext&, const json::Value& lease, Causes& causes) const override {
    const json::Value& spec = lease["spec"];
    if (spec.Has("leaseDurationSeconds") && spec["leaseDurationSeconds"].AsInt() <= 0) {
      causes.push_back(api::InvalidField("spec.leaseDurationSeconds", spec["leaseDurationSeconds"],
                                         "must be greater than 0"));
    }
    if (spec.Has("leaseTransitions")) {
      CheckNotNegative(spec["leaseTransitions"], "spec.leaseTransitions", causes);
    }
  }
};

class RuntimeClassKind : public KindRules {
 public:
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    if (object["handler"].AsString().empty()) causes.push_back(api::RequiredField("handler"));
  }
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    CheckImmutable(object["handler"], old["handler"], "handler", causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> NodeRules() { return std::make_shared<NodeKind>(); }
std::shared_ptr<const KindRules> EventRules() { return std::make_shared<EventKind>(); }
std::shared_ptr<const KindRules> LeaseRules() { return std::make_shared<LeaseKind>(); }
std::shared_ptr<const KindRules> RuntimeClassRules() {
  return std::make_shared<RuntimeClassKind>();
}

}  // namespace coppice::server
