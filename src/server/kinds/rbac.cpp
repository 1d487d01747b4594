#include "api/schema/field_error.h"
#include "server/kinds/kinds.h"

namespace coppice::server {
namespace {

class Rules : public KindRules {
 public:
  NameForm name_form() const override { return NameForm::kPathSegment; }

  void Default(json::Value& object) const override {
    if (json::Value* ref = object.FindMutable("roleRef")) {
      if ((*ref)["apiGroup"].AsString().empty()) ref->Set("apiGroup", "rbac.authorization.k8s.io");
    }
    if (json::Value* subjects = object.FindMutable("subjects")) {
      for (json::Value& subject : subjects->MutableItems()) {
        const bool account = subject["kind"].AsString() == "ServiceAccount";
        if (!account) subject.SetDefault("apiGroup", "rbac.authorization.k8s.io");
      }
    }
  }

  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    if (object["roleRef"] == old["roleRef"]) return;
    causes.push_back(api::InvalidField("roleRef", object["roleRef"], "cannot change roleRef"));
  }
};

}  // namespace

std::shared_ptr<const KindRules> RbacRules() { return std::make_shared<Rules>(); }

}  // namespace coppice::server
