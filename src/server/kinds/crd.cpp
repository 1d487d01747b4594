#include <fmt/format.h>

#include <set>

#include "api/schema/errors/field_error.h"
#include "kube/object.h"
#include "server/crd/schema_cache.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/conditions.h"
#include "server/kinds/checks/kinds.h"
#include "server/model/lower_case.h"

namespace coppice::server {
namespace {

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
    for (const char* field : {"group", "scope"}) {
      if (spec[field].AsString().empty())
        causes.push_back(api::RequiredField(api::Child("spec", field)));
    }
    for (const char* field : {"plural", "kind"}) {
      if (spec["names"][field].AsString().empty()) {
        causes.push_back(api::RequiredField(api::Child("spec.names", field)));
      }
    }
    if (!spec["scope"].AsString().empty()) {
      CheckOneOf(spec["scope"], {"Cluster", "Namespaced"}, "spec.scope", causes);
    }
    ValidateVersions(spec["versions"], causes);
  }

 private:
  static void ValidateVersions(const json::Value& versions, Causes& causes) {
    int stored = 0;
    std::set<std::string> names;
    for (size_t i = 0; i < versions.size(); ++i) {
      if (!names.insert(versions.At(i)["name"].ToString()).second) {
        causes.push_back(
            api::InvalidField("spec.versions", versions, "must contain unique version names"));
      }
      if (versions.At(i)["storage"].AsBool()) ++stored;
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
