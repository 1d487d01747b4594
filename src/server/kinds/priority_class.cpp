#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"
#include "server/model/errors.h"

namespace coppice::server {
namespace {

constexpr int64_t kHighestUserPriority = 1000000000;

bool IsSystem(std::string_view name) {
  return name == "system-cluster-critical" || name == "system-node-critical";
}

base::Status CheckOnlyDefault(const store::Store& store, const json::Value& object) {
  if (!object["globalDefault"].AsBool()) return {};
  const auto classes = store.List("scheduling.k8s.io/priorityclasses", {});
  if (!classes) return classes.error();
  for (const store::VersionPtr& each : classes->items) {
    if (!each->value()["globalDefault"].AsBool() || each->name() == kube::Name(object)) continue;
    return Forbidden(api::kPriorityClasses, kube::Name(object),
                     fmt::format("PriorityClass {} is already marked as default. Only one default "
                                 "can exist",
                                 each->name()));
  }
  return {};
}

class PriorityClassKind : public KindRules {
 public:
  void Default(json::Value& object) const override {
    object.SetDefault("preemptionPolicy", "PreemptLowerPriority");
    object.SetDefault("value", 0);
  }

  base::Status PrepareForCreate(const RuleContext& context, json::Value& object) const override {
    object.Mutable("metadata").Set("generation", 1);
    return CheckOnlyDefault(context.store, object);
  }
  base::Status PrepareForUpdate(const RuleContext& context, json::Value& object,
                                const json::Value&) const override {
    return CheckOnlyDefault(context.store, object);
  }
  base::Status CheckDelete(const json::Value&, std::string_view name) const override {
    if (!IsSystem(name)) return {};
    return Forbidden(api::kPriorityClasses, name,
                     "this is a system priority class and cannot be deleted");
  }

  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const std::string_view name = kube::Name(object);
    const bool system = IsSystem(name);
    if (name.substr(0, 7) == "system-" && !system) {
      causes.push_back(api::ForbiddenField(
          "metadata.name",
          fmt::format("priority class names with 'system-' prefix are reserved for system use "
                      "only. error: {} is not a known system priority class",
                      name)));
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

std::shared_ptr<const KindRules> PriorityClassRules() {
  return std::make_shared<PriorityClassKind>();
}

}  // namespace coppice::server
