#include <fmt/format.h>

#include "kube/object.h"
#include "server/kinds/checks.h"
#include "server/kinds/kinds.h"

namespace coppice::server {
namespace {

constexpr int64_t kHighestUserPriority = 1000000000;

class Rules : public KindRules {
 public:
  bool HasGeneration() const override { return true; }

  void Default(json::Value& object) const override {
    object.SetDefault("preemptionPolicy", "PreemptLowerPriority");
    object.SetDefault("value", 0);
  }

  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const std::string_view name = kube::Name(object);
    const bool system = name == "system-cluster-critical" || name == "system-node-critical";
    if (name.substr(0, 7) == "system-" && !system) {
      causes.push_back(
          api::ForbiddenField("metadata.name",
                              "priority class names with 'system-' prefix are reserved "
                              "for system use only"));
    }
    if (!system && object["value"].AsInt() > kHighestUserPriority) {
      causes.push_back(api::ForbiddenField(
          "value", fmt::format("maximum allowed value of a user defined priority is {}",
                               kHighestUserPriority)));
    }
    CheckOneOf(object["preemptionPolicy"], {"PreemptLowerPriority", "Never"}, "preemptionPolicy",
               causes);
  }

  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    if (object["value"].AsInt() != old["value"].AsInt()) {
      causes.push_back(api::ForbiddenField("value", "may not be changed in an update."));
    }
    CheckImmutable(object["preemptionPolicy"], old["preemptionPolicy"], "preemptionPolicy", causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> PriorityClassRules() { return std::make_shared<Rules>(); }

}  // namespace coppice::server
