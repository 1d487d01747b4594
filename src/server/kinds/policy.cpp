#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/checks/selectors.h"

namespace coppice::server {
namespace {

void CheckCounts(const json::Value& status, std::initializer_list<const char*> fields,
                 Causes& causes) {
  for (const char* field : fields) {
    CheckNotNegative(status[field], api::Child("status", field), causes);
  }
}

class BudgetKind : public KindRules {
 public:
  void ValidateStatusUpdate(const RuleContext&, const json::Value& budget, const json::Value&,
                            Causes& causes) const override {
    CheckCounts(budget["status"],
                {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}, causes);
  }
  bool HasGeneration() const override { return true; }
  bool AllowsUnconditionalUpdate() const override { return false; }

  void Validate(const RuleContext&, const json::Value& budget, Causes& causes) const override {
    const json::Value& spec = budget["spec"];
    if (spec.Has("minAvailable") && spec.Has("maxUnavailable")) {
      causes.push_back(
          api::InvalidField("spec", spec, "minAvailable and maxUnavailable cannot be both set"));
    }
    for (const char* field : {"minAvailable", "maxUnavailable"}) {
      CheckShare(spec[field], api::Child("spec", field), causes);
    }
    CheckLabelSelector(spec["selector"], "spec.selector", causes);
    if (spec.Has("unhealthyPodEvictionPolicy")) {
      CheckOneOf(spec["unhealthyPodEvictionPolicy"], {"AlwaysAllow", "IfHealthyBudget"},
                 "spec.unhealthyPodEvictionPolicy", causes);
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> BudgetRules() { return std::make_shared<BudgetKind>(); }

}  // namespace coppice::server
