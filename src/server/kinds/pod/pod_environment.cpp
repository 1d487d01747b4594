#include <fmt/format.h>

#include <algorithm>

#include "server/kinds/checks/checks.h"
#include "server/kinds/pod/pod_parts.h"

namespace coppice::server {
namespace {

using api::Child;
using api::Index;

constexpr char kMoreThanOne[] = "may not have more than one field specified at a time";

void CheckVariableName(const json::Value& name, const std::string& path, Causes& causes) {
  const auto allowed = [](char c) { return c >= ' ' && c <= '~' && c != '='; };
  if (std::ranges::all_of(name.AsString(), allowed)) return;
  causes.push_back(api::InvalidField(path, name,
                                     "a valid environment variable name must consist only of "
                                     "printable ASCII characters other than '='"));
}

// One entry of a ConfigMap or Secret.
void CheckKeyRef(const json::Value& ref, const std::string& path, Causes& causes) {
  const json::Value name = ref["name"].AsString();
  CheckProblems(name, api::Dns1123SubdomainProblems(name.AsString()), Child(path, "name"), causes);
  if (ref["key"].AsString().empty()) {
    causes.push_back(api::RequiredField(Child(path, "key")));
  } else {
    CheckConfigKey(ref["key"], Child(path, "key"), causes);
  }
}

void CheckSource(const json::Value& source, const std::string& path, Causes& causes) {
  if (source.size() > 1) {
    causes.push_back(api::InvalidField(path, "", kMoreThanOne));
    return;
  }
  if (source.empty()) {
    causes.push_back(api::InvalidField(path, "",
                                       "must specify one of: `fieldRef`, `resourceFieldRef`, "
                                       "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"));
    return;
  }
  const json::Member& member = source.Members()[0];
  const std::string place = Child(path, member.name());
  if (member.name() == "fieldRef") ValidateFieldRef(member.value, false, place, causes);
  if (member.name() == "resourceFieldRef") ValidateResourceFieldRef(member.value, place, causes);
  if (member.name() == "configMapKeyRef" || member.name() == "secretKeyRef") {
    CheckKeyRef(member.value, place, causes);
  }
}

void CheckVariable(const json::Value& variable, const std::string& path, Causes& causes) {
  if (variable["name"].AsString().empty()) {
    causes.push_back(api::RequiredField(Child(path, "name")));
  } else {
    CheckVariableName(variable["name"], Child(path, "name"), causes);
  }
  if (!variable["valueFrom"].IsObject()) return;
  const std::string from = Child(path, "valueFrom");
  if (!variable["value"].AsString().empty()) {
    causes.push_back(api::InvalidField(from, "", "may not be specified when `value` is not empty"));
  }
  CheckSource(variable["valueFrom"], from, causes);
}

// All entries of a ConfigMap or Secret. `list` is the whole field: Kubernetes names no item there.
void CheckAll(const json::Value& source, const std::string& list, const std::string& path,
              Causes& causes) {
  CheckVariableName(source["prefix"], Child(path, "prefix"), causes);
  int found = 0;
  for (const char* kind : {"configMapRef", "secretRef"}) {
    if (!source[kind].IsObject()) continue;
    ++found;
    const json::Value& name = source[kind]["name"];
    const std::string place = Child(Child(path, kind), "name");
    if (name.AsString().empty()) {
      causes.push_back(api::RequiredField(place));
    } else {
      CheckProblems(name, api::Dns1123SubdomainProblems(name.AsString()), place, causes);
    }
  }
  if (found == 0) {
    causes.push_back(
        api::InvalidField(list, "", "must specify one of: `configMapRef` or `secretRef`"));
  }
  if (found > 1) causes.push_back(api::InvalidField(list, "", kMoreThanOne));
}

}  // namespace

void ValidateEnvironment(const json::Value& container, const std::string& path, Causes& causes) {
  const json::Value& env = container["env"];
  for (size_t i = 0; i < env.size(); ++i) {
    CheckVariable(env.At(i), Index(Child(path, "env"), i), causes);
  }
  const json::Value& from = container["envFrom"];
  const std::string list = Child(path, "envFrom");
  for (size_t i = 0; i < from.size(); ++i) CheckAll(from.At(i), list, Index(list, i), causes);
}

}  // namespace coppice::server
