#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"

namespace coppice::server {
namespace {

constexpr const char* kGroup = "rbac.authorization.k8s.io";

void CheckReference(const json::Value& ref, bool namespaced, Causes& causes) {
  CheckOneOf(ref["apiGroup"], {kGroup}, "roleRef.apiGroup", causes);
  if (namespaced) {
    CheckOneOf(ref["kind"], {"Role", "ClusterRole"}, "roleRef.kind", causes);
  } else {
    CheckOneOf(ref["kind"], {"ClusterRole"}, "roleRef.kind", causes);
  }
  if (ref["name"].AsString().empty()) causes.push_back(api::RequiredField("roleRef.name"));
}

// An account of a RoleBinding without a namespace is one of the binding's own.
void CheckSubjects(const json::Value& subjects, bool namespaced, Causes& causes) {
  for (size_t i = 0; i < subjects.size(); ++i) {
    const json::Value& subject = subjects.At(i);
    const std::string path = api::Index("subjects", i);
    if (subject["name"].AsString().empty()) {
      causes.push_back(api::RequiredField(api::Child(path, "name")));
    }
    CheckOneOf(subject["kind"], {"ServiceAccount", "User", "Group"}, api::Child(path, "kind"),
               causes);
    const bool account = subject["kind"].AsString() == "ServiceAccount";
    if (account && !namespaced && subject["namespace"].AsString().empty()) {
      causes.push_back(api::RequiredField(api::Child(path, "namespace")));
    }
  }
}

void CheckRule(const json::Value& rule, bool namespaced, const std::string& path, Causes& causes) {
  if (rule["verbs"].empty()) {
    causes.push_back(
        api::RequiredField(api::Child(path, "verbs"), "verbs must contain at least one value"));
  }
  const json::Value& urls = rule["nonResourceURLs"];
  const std::string place = api::Child(path, "nonResourceURLs");
  if (!urls.empty()) {
    const bool mixed = !rule["apiGroups"].empty() || !rule["resources"].empty();
    if (namespaced) {
      causes.push_back(
          api::InvalidField(place, urls, "namespaced rules cannot apply to non-resource URLs"));
    } else if (mixed) {
      causes.push_back(api::InvalidField(
          place, urls, "rules cannot apply to both regular resources and non-resource URLs"));
    }
    return;
  }
  if (rule["apiGroups"].empty()) {
    causes.push_back(api::RequiredField(api::Child(path, "apiGroups"),
                                        "resource rules must supply at least one api group"));
  }
  if (rule["resources"].empty()) {
    causes.push_back(api::RequiredField(api::Child(path, "resources"),
                                        "resource rules must supply at least one resource"));
  }
}

class RbacKind : public KindRules {
 public:
  NameForm name_form(std::string_view) const override { return NameForm::kPathSegment; }

  void Default(json::Value& object) const override {
    if (json::Value* ref = object.FindMutable("roleRef")) {
      if ((*ref)["apiGroup"].AsString().empty()) ref->Set("apiGroup", kGroup);
    }
    if (json::Value* subjects = object.FindMutable("subjects")) {
      for (json::Value& subject : subjects->MutableItems()) {
        const std::string_view kind = subject["kind"].AsString();
        const bool person = kind == "User" || kind == "Group";
        if (person) subject.SetDefault("apiGroup", kGroup);
      }
    }
  }

  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const std::string_view kind = object["kind"].AsString();
    const bool namespaced = kind == "Role" || kind == "RoleBinding";
    if (object.Has("roleRef")) {
      CheckReference(object["roleRef"], namespaced, causes);
      CheckSubjects(object["subjects"], namespaced, causes);
      return;
    }
    for (size_t i = 0; i < object["rules"].size(); ++i) {
      CheckRule(object["rules"].At(i), namespaced, api::Index("rules", i), causes);
    }
    const json::Value& aggregation = object["aggregationRule"];
    if (aggregation.IsObject() && aggregation["clusterRoleSelectors"].empty()) {
      causes.push_back(api::RequiredField(
          "aggregationRule.clusterRoleSelectors",
          "at least one clusterRoleSelector required if aggregationRule is non-nil"));
    }
  }

  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    if (object["roleRef"] == old["roleRef"]) return;
    causes.push_back(api::InvalidField("roleRef", object["roleRef"], "cannot change roleRef"));
  }
};

}  // namespace

std::shared_ptr<const KindRules> RbacRules() { return std::make_shared<RbacKind>(); }

}  // namespace coppice::server
