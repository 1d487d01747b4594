#include <fmt/format.h>

#include <set>

#include "api/schema/errors/field_error.h"
#include "kube/object.h"
#include "server/crd/schema_cache.h"
#include "server/kinds/builtin.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/conditions.h"
#include "server/kinds/checks/kinds.h"
#include "server/model/lower_case.h"

namespace coppice::server {
namespace {

constexpr std::string_view kApproved = "api-approved.kubernetes.io";

// Names are accepted and versions established at once: nothing else has to agree.
void Accept(json::Value& object, base::Time now) {
  json::Value& status = object.Mutable("status");
  status.Set("acceptedNames", object["spec"]["names"]);
  json::Value stored = status["storedVersions"];
  for (const json::Value& version : object["spec"]["versions"].Items()) {
    if (!version["storage"].AsBool()) continue;
    bool known = false;
    for (const json::Value& each : stored.Items()) known |= each == version["name"];
    if (!known) stored.Append(version["name"]);
  }
  status.Set("storedVersions", stored);
  SetCondition(object, "NamesAccepted", "True", "NoConflicts", "no conflicts found", now);
  SetCondition(object, "Established", "True", "InitialNamesAccepted",
               "the initial names have been accepted", now);
}

class CrdKind : public KindRules {
 public:
  bool HasGeneration() const override { return true; }

  void Default(json::Value& object) const override {
    json::Value& names = object.Mutable("spec").Mutable("names");
    names.SetDefault("singular", LowerCase(names["kind"].AsString()));
    names.SetDefault("listKind", names["kind"].ToString() + "List");
    object.Mutable("spec").SetDefault("conversion", json::Value::Object({{"strategy", "None"}}));
  }

  base::Status PrepareForCreate(const RuleContext& context, json::Value& object) const override {
    Accept(object, context.now);
    // Holds the definition until its objects are deleted.
    object.Mutable("metadata")
        .Mutable("finalizers")
        .Append("customresourcecleanup.apiextensions.k8s.io");
    return {};
  }

  base::Status PrepareForUpdate(const RuleContext& context, json::Value& object,
                                const json::Value&) const override {
    if (!kube::IsDeleting(object)) Accept(object, context.now);
    return {};
  }

  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const json::Value& spec = object["spec"];
    const std::string expected =
        spec["names"]["plural"].ToString() + "." + spec["group"].ToString();
    if (kube::Name(object) != expected) {
      causes.push_back(
          api::InvalidField("metadata.name", object["metadata"]["name"],
                            fmt::format("must be spec.names.plural+\".\"+spec.group")));
    }
    if (spec["scope"].AsString().empty()) causes.push_back(api::RequiredField("spec.scope"));
    ValidateGroup(object, causes);
    ValidateNames(spec, causes);
    if (!spec["scope"].AsString().empty()) {
      CheckOneOf(spec["scope"], {"Cluster", "Namespaced"}, "spec.scope", causes);
    }
    ValidateVersions(spec["versions"], causes);
  }

  // What is stored under a name, and below which paths, stays the same.
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    const json::Value &now = object["spec"], &before = old["spec"];
    CheckImmutable(now["scope"], before["scope"], "spec.scope", causes);
    CheckImmutable(now["names"]["kind"], before["names"]["kind"], "spec.names.kind", causes);
  }

 private:
  static void ValidateGroup(const json::Value& object, Causes& causes) {
    const json::Value& group = object["spec"]["group"];
    const std::string_view text = group.AsString();
    CheckSubdomain(group, "spec.group", causes);
    if (text.find('.') == std::string_view::npos) {
      causes.push_back(
          api::InvalidField("spec.group", group, "should be a domain with at least one dot"));
    }
    const bool is_protected = text == "k8s.io" || text.ends_with(".k8s.io") ||
                              text == "kubernetes.io" || text.ends_with(".kubernetes.io");
    if (is_protected && !object["metadata"]["annotations"].Has(kApproved)) {
      causes.push_back(api::RequiredField(fmt::format("metadata.annotations[{}]", kApproved),
                                          "protected groups must have approval annotation "
                                          "\"api-approved.kubernetes.io\", see "
                                          "https://github.com/kubernetes/enhancements/pull/1111"));
    }
  }

  static void ValidateNames(const json::Value& spec, Causes& causes) {
    const json::Value& names = spec["names"];
    for (const char* field : {"plural", "singular", "kind", "listKind"}) {
      const json::Value& name = names[field];
      const std::string path = api::Child("spec.names", field);
      if (name.AsString().empty()) {
        causes.push_back(api::RequiredField(path));
        continue;
      }
      const bool is_kind =
          field == std::string_view("kind") || field == std::string_view("listKind");
      const std::string text = is_kind ? LowerCase(name.AsString()) : name.ToString();
      CheckProblems(name, api::Dns1035LabelProblems(text), path, causes);
    }
    // The two would share their objects, and a deleted definition would take them along.
    for (const char* field : {"plural", "kind"}) {
      if (!IsBuiltin(spec["group"].AsString(), names[field].AsString())) continue;
      causes.push_back(api::InvalidField(api::Child("spec.names", field), names[field],
                                         "the API server itself serves this name in the group"));
    }
  }

  static void ValidateVersions(const json::Value& versions, Causes& causes) {
    int stored = 0;
    std::set<std::string> names;
    for (size_t i = 0; i < versions.size(); ++i) {
      if (!names.insert(versions.At(i)["name"].ToString()).second) {
        causes.push_back(
            api::InvalidField("spec.versions", versions, "must contain unique version names"));
      }
      if (versions.At(i)["storage"].AsBool()) ++stored;
      CheckProblems(versions.At(i)["name"],
                    api::Dns1035LabelProblems(versions.At(i)["name"].AsString()),
                    api::Index("spec.versions", i) + ".name", causes);
      const json::Value& schema = versions.At(i)["schema"]["openAPIV3Schema"];
      const std::string path = api::Index("spec.versions", i) + ".schema.openAPIV3Schema";
      if (!schema.IsObject()) {
        causes.push_back(api::RequiredField(path));
        continue;
      }
      const auto compiled = CompileSchema(schema);
      if (compiled) continue;
      for (base::FieldCause cause : compiled.error().causes()) {
        cause.field = api::Child(path, cause.field);
        causes.push_back(std::move(cause));
      }
    }
    if (stored == 1) return;
    causes.push_back(api::InvalidField("spec.versions", versions,
                                       "must have exactly one version marked as storage version"));
  }
};

}  // namespace

std::shared_ptr<const KindRules> CrdRules() { return std::make_shared<CrdKind>(); }

}  // namespace coppice::server
