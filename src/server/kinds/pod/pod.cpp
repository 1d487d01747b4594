#include "api/well_known.h"
#include "kube/object.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/conditions.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/pod/pod_spec.h"
#include "server/kinds/pod/pod_update.h"

namespace coppice::server {
namespace {

constexpr int64_t kDefaultGraceSeconds = 30;

// A limit without a request asks for as much as it allows.
void RequestLimits(json::Value& spec) {
  for (const char* list : {"containers", "initContainers"}) {
    json::Value* containers = spec.FindMutable(list);
    if (!containers || !containers->IsArray()) continue;
    for (json::Value& container : containers->MutableItems()) {
      const json::Value limits = container["resources"]["limits"];
      for (const json::Member& limit : limits.Members()) {
        container.Mutable("resources").Mutable("requests").SetDefault(limit.name(), limit.value);
      }
    }
  }
}

// The list of addresses begins with the one that stands alone.
void SetAddresses(json::Value& pod) {
  const json::Value address = pod["status"]["podIP"];
  if (address.AsString().empty()) return;
  if (pod["status"]["podIPs"].At(0)["ip"] == address) return;
  pod.Mutable("status").Set("podIPs", json::Value::Array({json::Value::Object({{"ip", address}})}));
}

class PodKind : public KindRules {
 public:
  bool HasGeneration() const override { return true; }
  bool IsGracefullyDeletable() const override { return true; }

  std::vector<api::SelectableField> SelectableFields() const override {
    return {"spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            {"spec.hostNetwork", "false"},
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName"};
  }

  int64_t DefaultGraceSeconds(const json::Value& pod) const override {
    return pod["spec"]["terminationGracePeriodSeconds"].AsInt(kDefaultGraceSeconds);
  }

  // Nothing runs that would need the time: not scheduled yet, or over already.
  int64_t EffectiveGraceSeconds(const json::Value& pod, int64_t asked) const override {
    if (pod["spec"]["nodeName"].AsString().empty() || IsOver(pod)) return 0;
    return asked;
  }

  void Default(json::Value& pod) const override {
    json::Value& spec = pod.Mutable("spec");
    RequestLimits(spec);
    DefaultPodSpec(spec);
    spec.SetDefault("enableServiceLinks", true);
  }

  base::Status PrepareForCreate(const RuleContext& context, json::Value& pod) const override {
    if (!pod["spec"]["ephemeralContainers"].empty()) {
      return api::InvalidObject(
          api::kPods, kube::Name(pod),
          {api::ForbiddenField("spec.ephemeralContainers", "cannot be set on create")});
    }
    pod.Mutable("status").Set("phase", "Pending");
    pod.Mutable("status").Set("qosClass", QosClassOf(pod["spec"]));
    if (!pod["spec"]["schedulingGates"].empty()) {
      SetPodCondition(pod, "PodScheduled", "False", "SchedulingGated",
                      "Scheduling is blocked due to non-empty scheduling gates", context.now);
    }
    return {};
  }

  base::Status PrepareForUpdate(const RuleContext&, json::Value& pod,
                                const json::Value& old) const override {
    SetAddresses(pod);
    const json::Value& qos = old["status"]["qosClass"];
    if (!qos.IsNull()) pod.Mutable("status").Set("qosClass", qos);
    // A default that older pods lack is not a change.
    for (const char* field : {"priority", "preemptionPolicy"}) {
      if (old["spec"].Has(field)) pod.Mutable("spec").SetDefault(field, old["spec"][field]);
    }
    return {};
  }

  void Validate(const RuleContext&, const json::Value& pod, Causes& causes) const override {
    ValidatePodSpec(pod["spec"], "spec", causes);
    if (!pod["spec"]["schedulingGates"].empty() && !pod["spec"]["nodeName"].AsString().empty()) {
      causes.push_back(api::ForbiddenField(
          "spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
    }
  }

  void ValidateUpdate(const RuleContext&, const json::Value& pod, const json::Value& old,
                      Causes& causes) const override {
    ValidatePodUpdate(pod, old, causes);
  }
  void ValidatePartUpdate(const RuleContext& context, std::string_view subresource,
                          const json::Value& pod, const json::Value& old,
                          Causes& causes) const override {
    if (subresource == "ephemeralcontainers") return ValidateEphemeralUpdate(pod, old, causes);
    ValidateUpdate(context, pod, old, causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> PodRules() { return std::make_shared<PodKind>(); }

}  // namespace coppice::server
