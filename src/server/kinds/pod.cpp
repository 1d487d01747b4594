#include "server/kinds/kinds.h"

namespace coppice::server {
namespace {

constexpr int64_t kDefaultGraceSeconds = 30;

bool IsTerminal(const json::Value& pod) {
  const std::string_view phase = pod["status"]["phase"].AsString();
  return phase == "Succeeded" || phase == "Failed";
}

class Rules : public KindRules {
 public:
  bool HasGeneration() const override { return true; }
  bool IsGracefullyDeletable() const override { return true; }

  std::vector<std::string_view> SelectableFields() const override {
    return {"spec.nodeName",        "spec.restartPolicy", "spec.schedulerName",
            "spec.serviceAccountName", "spec.hostNetwork",   "status.phase",
            "status.podIP",         "status.nominatedNodeName"};
  }

  int64_t DefaultGraceSeconds(const json::Value& pod) const override {
    return pod["spec"]["terminationGracePeriodSeconds"].AsInt(kDefaultGraceSeconds);
  }

  // Nothing runs that would need the time: not scheduled yet, or over already.
  int64_t EffectiveGraceSeconds(const json::Value& pod, int64_t asked) const override {
    if (pod["spec"]["nodeName"].AsString().empty() || IsTerminal(pod)) return 0;
    return asked;
  }

  void Default(json::Value& pod) const override {
    json::Value& spec = pod.Mutable("spec");
    spec.SetDefault("restartPolicy", "Always");
    spec.SetDefault("dnsPolicy", "ClusterFirst");
    spec.SetDefault("schedulerName", "default-scheduler");
    spec.SetDefault("terminationGracePeriodSeconds", kDefaultGraceSeconds);
    spec.SetDefault("enableServiceLinks", true);
    spec.SetDefault("securityContext", json::Value::Object());
  }

  base::Status PrepareForCreate(const RuleContext&, json::Value& pod) const override {
    pod.Mutable("status").Set("phase", "Pending");
    return {};
  }
};

}  // namespace

std::shared_ptr<const KindRules> PodRules() { return std::make_shared<Rules>(); }

}  // namespace coppice::server
