#include <fmt/format.h>

#include <set>

#include "kube/object.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/checks/selectors.h"
#include "server/kinds/pod/pod_parts.h"

// Node, Event, Lease, RuntimeClass.
namespace coppice::server {
namespace {

class NodeKind : public KindRules {
 public:
  // A kubelet registers its node with what it found.
  bool KeepsStatusOnCreate() const override { return true; }
  std::vector<api::SelectableField> SelectableFields() const override {
    return {{"spec.unschedulable", "false"}};
  }

  void Default(json::Value& node) const override {
    const json::Value cidr = node["spec"]["podCIDR"];
    if (!cidr.AsString().empty()) {
      node.Mutable("spec").SetDefault("podCIDRs", json::Value::Array({cidr}));
    }
    const json::Value capacity = node["status"]["capacity"];
    if (!capacity.empty()) node.Mutable("status").SetDefault("allocatable", capacity);
  }
  void Validate(const RuleContext&, const json::Value& node, Causes& causes) const override {
    const json::Value& taints = node["spec"]["taints"];
    std::set<std::string> known;
    for (size_t i = 0; i < taints.size(); ++i) {
      const json::Value& taint = taints.At(i);
      const std::string path = api::Index("metadata.taints", i);  // Kubernetes says so.
      CheckProblems(taint["key"], api::LabelKeyProblems(taint["key"].AsString()),
                    api::Child(path, "key"), causes);
      CheckProblems(taint["value"], api::LabelValueProblems(taint["value"].AsString()),
                    api::Child(path, "value"), causes);
      CheckOneOf(taint["effect"], {"NoSchedule", "PreferNoSchedule", "NoExecute"},
                 api::Child(path, "effect"), causes);
      if (known.insert(taint["key"].ToString() + ":" + taint["effect"].ToString()).second) continue;
      base::FieldCause twice = api::DuplicateField(path, taint);
      twice.message += ": taints must be unique by key and effect pair";
      causes.push_back(std::move(twice));
    }
    for (const char* amounts : {"capacity", "allocatable"}) {
      for (const json::Member& amount : node["status"][amounts].Members()) {
        CheckQuantity(amount.value, fmt::format("status.{}.{}", amounts, amount.name()), causes);
      }
    }
    const json::Value& networks = node["spec"]["podCIDRs"];
    for (size_t i = 0; i < networks.size(); ++i) {
      CheckNetwork(networks.At(i), api::Index("spec.podCIDRs", i), causes);
    }
  }
  void ValidateUpdate(const RuleContext&, const json::Value& node, const json::Value& old,
                      Causes& causes) const override {
    CheckOnce(node["spec"]["providerID"], old["spec"]["providerID"], "providerID",
              "spec.providerID", causes);
    const json::Value& spec = node["spec"];
    const bool moved =
        spec["podCIDR"] != old["spec"]["podCIDR"] || spec["podCIDRs"] != old["spec"]["podCIDRs"];
    if (moved && !old["spec"]["podCIDRs"].empty()) {
      causes.push_back(api::ForbiddenField(
          "spec.podCIDRs", "node updates may not change podCIDR except from \"\" to valid"));
    }
  }
  void ValidateStatusUpdate(const RuleContext&, const json::Value& node, const json::Value&,
                            Causes& causes) const override {
    for (const char* list : {"capacity", "allocatable"}) {
      for (const json::Member& amount : node["status"][list].Members()) {
        CheckQuantity(amount.value, fmt::format("status.{}.{}", list, amount.name()), causes);
      }
    }
  }

 private:
  static void CheckOnce(const json::Value& now, const json::Value& before, const char* name,
                        const char* path, Causes& causes) {
    if (now == before || before.AsString().empty()) return;
    causes.push_back(api::ForbiddenField(
        path, fmt::format("node updates may not change {} except from \"\" to valid", name)));
  }
};

class EventKind : public KindRules {
 public:
  std::vector<api::SelectableField> SelectableFields() const override {
    return {"involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            {"source", "", "source.component", "reportingComponent"},
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

constexpr size_t kLongestWord = 128;

void CheckShort(const json::Value& word, const std::string& path, Causes& causes) {
  if (word.AsString().empty()) causes.push_back(api::RequiredField(path));
  if (word.AsString().size() <= kLongestWord) return;
  causes.push_back(api::InvalidField(path, "", "can have at most 128 characters"));
}

// An event of events.k8s.io says when, of which type, and never changes but for its series.
class NewEventKind : public EventKind {
 public:
  void Validate(const RuleContext& context, const json::Value& event,
                Causes& causes) const override {
    EventKind::Validate(context, event, causes);
    if (event["eventTime"].IsNull()) causes.push_back(api::RequiredField("eventTime"));
    const json::Value& controller = event["reportingComponent"];
    if (controller.AsString().empty()) {
      causes.push_back(api::RequiredField("reportingController"));
    }
    CheckProblems(controller.AsString(), api::LabelKeyProblems(controller.AsString()),
                  "reportingController", causes);
    CheckShort(event["reportingInstance"], "reportingInstance", causes);
    CheckShort(event["action"], "action", causes);
    CheckShort(event["reason"], "reason", causes);
    const std::string_view type = event["type"].AsString();
    if (type == "Normal" || type == "Warning") return;
    causes.push_back(api::InvalidField("type", "", fmt::format("has invalid value: {}", type)));
  }
  void ValidateUpdate(const RuleContext&, const json::Value& event, const json::Value& old,
                      Causes& causes) const override {
    for (const char* field : {"involvedObject", "reason", "message", "source", "firstTimestamp",
                              "lastTimestamp", "count", "type", "eventTime", "action", "related",
                              "reportingComponent", "reportingInstance"}) {
      CheckImmutable(event[field], old[field], field, causes);
    }
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
    CheckProblems(object["handler"], api::Dns1123LabelProblems(object["handler"].AsString()),
                  "handler", causes);
    for (const json::Member& amount : object["overhead"]["podFixed"].Members()) {
      CheckQuantity(amount.value, api::Key("overhead.limits", amount.name()), causes);
    }
    CheckLabels(object["scheduling"]["nodeSelector"], "scheduling.nodeSelector", causes);
    ValidateTolerations(object["scheduling"]["tolerations"], "scheduling.tolerations", causes);
  }
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    CheckImmutable(object["handler"], old["handler"], "handler", causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> NodeRules() { return std::make_shared<NodeKind>(); }
std::shared_ptr<const KindRules> EventRules() { return std::make_shared<EventKind>(); }
std::shared_ptr<const KindRules> NewEventRules() { return std::make_shared<NewEventKind>(); }
std::shared_ptr<const KindRules> LeaseRules() { return std::make_shared<LeaseKind>(); }
std::shared_ptr<const KindRules> RuntimeClassRules() {
  return std::make_shared<RuntimeClassKind>();
}

}  // namespace coppice::server
