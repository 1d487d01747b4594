#include "base/quantity.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"
#include "server/quota/usage.h"

// LimitRange and ResourceQuota.
namespace coppice::server {
namespace {

void Inherit(const json::Value& from, std::string_view field, json::Value& item) {
  for (const json::Member& each : from.Members()) {
    item.Mutable(field).SetDefault(each.name(), each.value);
  }
}

void CheckOrder(const json::Value& item, const char* low, const char* high, const std::string& path,
                Causes& causes) {
  for (const json::Member& each : item[low].Members()) {
    const json::Value* bound = item[high].Find(each.name());
    if (!bound) continue;
    const auto least = base::Quantity::Parse(each.value.AsString());
    const auto most = base::Quantity::Parse(bound->AsString());
    if (!least || !most || *least <= *most) continue;
    causes.push_back(api::InvalidField(api::Key(api::Child(path, low), each.name()), each.value,
                                       std::string(low) + " value " + each.value.ToString() +
                                           " is greater than " + high + " value " +
                                           bound->ToString()));
  }
}

class LimitRangeKind : public KindRules {
 public:
  // What a container may have at most it gets by default, and asks for what it gets.
  void Default(json::Value& object) const override {
    json::Value* limits = object.Mutable("spec").FindMutable("limits");
    if (!limits || !limits->IsArray()) return;
    for (json::Value& item : limits->MutableItems()) {
      if (item["type"].AsString() != "Container") continue;
      Inherit(json::Value(item["max"]), "default", item);
      Inherit(json::Value(item["default"]), "defaultRequest", item);
      Inherit(json::Value(item["min"]), "defaultRequest", item);
    }
  }

  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const json::Value& limits = object["spec"]["limits"];
    for (size_t i = 0; i < limits.size(); ++i) {
      const json::Value& item = limits.At(i);
      const std::string path = api::Index("spec.limits", i);
      if (item["type"].AsString().empty()) {
        causes.push_back(api::RequiredField(api::Child(path, "type")));
      }
      if (item["type"].AsString() == "Pod") {
        for (const char* field : {"default", "defaultRequest"}) {
          if (item[field].empty()) continue;
          causes.push_back(api::ForbiddenField(api::Child(path, field),
                                               "may not be specified when `type` is 'Pod'"));
        }
      }
      CheckOrder(item, "min", "max", path, causes);
      CheckOrder(item, "min", "defaultRequest", path, causes);
      CheckOrder(item, "defaultRequest", "max", path, causes);
      CheckOrder(item, "defaultRequest", "default", path, causes);
      CheckOrder(item, "default", "max", path, causes);
    }
  }
};

class QuotaKind : public KindRules {
 public:
  // Counted at once, so that nothing slips in before the first count.
  base::Status PrepareForCreate(const RuleContext& context, json::Value& quota) const override {
    quota.Set("status", QuotaStatus(quota, context.store));
    return {};
  }
  base::Status PrepareForUpdate(const RuleContext& context, json::Value& quota,
                                const json::Value& old) const override {
    if (!(quota["spec"] == old["spec"])) quota.Set("status", QuotaStatus(quota, context.store));
    return {};
  }

  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    for (const json::Member& each : object["spec"]["hard"].Members()) {
      const std::string path = api::Key("spec.hard", each.name());
      CheckProblems(each.key, api::LabelKeyProblems(each.name()), path, causes);
      const auto quantity = base::Quantity::Parse(each.value.AsString());
      if (!quantity || quantity->Sign() >= 0) continue;
      causes.push_back(api::InvalidField(path, each.value, "must be greater than or equal to 0"));
    }
    for (const json::Value& scope : object["spec"]["scopes"].Items()) {
      CheckOneOf(scope,
                 {"BestEffort", "CrossNamespacePodAffinity", "NotBestEffort", "NotTerminating",
                  "PriorityClass", "Terminating", "VolumeAttributesClass"},
                 "spec.scopes", causes);
    }
  }

  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    CheckImmutable(object["spec"]["scopes"], old["spec"]["scopes"], "spec.scopes", causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> LimitRangeRules() { return std::make_shared<LimitRangeKind>(); }
std::shared_ptr<const KindRules> QuotaRules() { return std::make_shared<QuotaKind>(); }

}  // namespace coppice::server
