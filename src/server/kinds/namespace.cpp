#include "api/well_known.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"
#include "server/model/errors.h"

namespace coppice::server {
namespace {

class NamespaceKind : public KindRules {
 public:
  NameForm name_form(std::string_view) const override { return NameForm::kDns1123Label; }
  std::vector<api::SelectableField> SelectableFields() const override { return {"status.phase"}; }

  void Default(json::Value& object) const override {
    object.Mutable("metadata")
        .Mutable("labels")
        .Set("kubernetes.io/metadata.name", object["metadata"]["name"]);
  }

  base::Status PrepareForCreate(const RuleContext&, json::Value& object) const override {
    object.Mutable("spec").Set("finalizers", json::Value::Array({"kubernetes"}));
    object.Mutable("status").Set("phase", "Active");
    return {};
  }

  base::Status PrepareForUpdate(const RuleContext&, json::Value& object,
                                const json::Value& old) const override {
    if (old["spec"].Has("finalizers"))
      object.Mutable("spec").Set("finalizers", old["spec"]["finalizers"]);
    return {};
  }

  void ValidateStatusUpdate(const RuleContext&, const json::Value& object, const json::Value&,
                            Causes& causes) const override {
    if (object["metadata"].Has("deletionTimestamp")) return;
    const json::Value& phase = object["status"]["phase"];
    if (phase.AsString() == "Active") return;
    causes.push_back(api::InvalidField("status.Phase", phase,
                                       "may only be 'Active' if `deletionTimestamp` is empty"));
  }

  base::Status CheckDelete(const json::Value&, std::string_view name) const override {
    if (name != "default" && name != "kube-system" && name != "kube-public") return {};
    return Forbidden(api::kNamespaces, name, "this namespace may not be deleted");
  }

  bool StaysWhenDeleted(const json::Value& object) const override {
    return !object["spec"]["finalizers"].empty();
  }

  void PrepareForDelete(json::Value& object) const override {
    object.Mutable("status").Set("phase", "Terminating");
  }
};

}  // namespace

std::shared_ptr<const KindRules> NamespaceRules() { return std::make_shared<NamespaceKind>(); }

}  // namespace coppice::server
