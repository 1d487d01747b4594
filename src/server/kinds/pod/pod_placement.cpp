#include <fmt/format.h>

#include <set>

#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/selectors.h"
#include "server/kinds/pod/pod_parts.h"

namespace coppice::server {
namespace {

using api::Child;
using api::Index;

void CheckToleration(const json::Value& toleration, const std::string& path, Causes& causes) {
  const json::Value& key = toleration["key"];
  const std::string_view op = toleration["operator"].AsString();
  if (!key.AsString().empty()) {
    CheckProblems(key, api::LabelKeyProblems(key.AsString()), Child(path, "key"), causes);
  } else if (op != "Exists") {
    causes.push_back(api::InvalidField(
        Child(path, "operator"), op,
        "operator must be Exists when `key` is empty, which means \"match all values and all "
        "keys\""));
  }
  const json::Value& value = toleration["value"];
  if (op == "Exists" && !value.AsString().empty()) {
    causes.push_back(api::InvalidField(Child(path, "operator"), value,
                                       "value must be empty when `operator` is 'Exists'"));
  } else if (op.empty() || op == "Equal") {
    CheckProblems(value, api::LabelValueProblems(value.AsString()), Child(path, "operator"),
                  causes);
  }
  if (!op.empty()) {
    CheckOneOf(toleration["operator"], {"Equal", "Exists"}, Child(path, "operator"), causes);
  }
  const std::string_view effect = toleration["effect"].AsString();
  if (!effect.empty()) {
    CheckOneOf(toleration["effect"], {"NoSchedule", "PreferNoSchedule", "NoExecute"},
               Child(path, "effect"), causes);
  }
  if (toleration.Has("tolerationSeconds") && effect != "NoExecute") {
    causes.push_back(
        api::InvalidField(Child(path, "effect"), effect,
                          "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
}

void CheckSpread(const json::Value& constraint, const std::string& path, Causes& causes) {
  if (constraint["maxSkew"].AsInt() <= 0) {
    causes.push_back(api::InvalidField(Child(path, "maxSkew"), constraint["maxSkew"].AsInt(),
                                       "must be greater than zero"));
  }
  if (constraint["topologyKey"].AsString().empty()) {
    causes.push_back(api::RequiredField(Child(path, "topologyKey"), "can not be empty"));
  }
  CheckOneOf(constraint["whenUnsatisfiable"], {"DoNotSchedule", "ScheduleAnyway"},
             Child(path, "whenUnsatisfiable"), causes);
  const json::Value& domains = constraint["minDomains"];
  if (domains.IsInt() && domains.AsInt() <= 0) {
    causes.push_back(
        api::InvalidField(Child(path, "minDomains"), domains, "must be greater than zero"));
  }
  for (const char* policy : {"nodeAffinityPolicy", "nodeTaintsPolicy"}) {
    if (!constraint.Has(policy)) continue;
    CheckOneOf(constraint[policy], {"Honor", "Ignore"}, Child(path, policy), causes);
  }
  CheckLabelSelector(constraint["labelSelector"], Child(path, "labelSelector"), causes);
}

// Two for the same key and purpose would contradict each other.
void CheckSpreadTwice(const json::Value& constraints, size_t i, const std::string& path,
                      Causes& causes) {
  const json::Value& one = constraints.At(i);
  for (size_t j = i + 1; j < constraints.size(); ++j) {
    const json::Value& other = constraints.At(j);
    if (one["topologyKey"] != other["topologyKey"]) continue;
    if (one["whenUnsatisfiable"] != other["whenUnsatisfiable"]) continue;
    causes.push_back(api::DuplicateField(Child(path, "{topologyKey, whenUnsatisfiable}"),
                                         fmt::format("{{{}, {}}}", one["topologyKey"].AsString(),
                                                     one["whenUnsatisfiable"].AsString())));
    return;
  }
}

void CheckGates(const json::Value& gates, const std::string& path, Causes& causes) {
  std::set<std::string> names;
  for (size_t i = 0; i < gates.size(); ++i) {
    const json::Value& name = gates.At(i)["name"];
    CheckProblems(name, api::LabelKeyProblems(name.AsString()), Index(path, i), causes);
    if (!names.insert(name.ToString()).second) {
      causes.push_back(api::DuplicateField(Index(path, i), name));
    }
  }
}

}  // namespace

void ValidateTolerations(const json::Value& tolerations, const std::string& path, Causes& causes) {
  for (size_t i = 0; i < tolerations.size(); ++i) {
    CheckToleration(tolerations.At(i), Index(path, i), causes);
  }
}

void ValidatePlacement(const json::Value& spec, const std::string& path, Causes& causes) {
  CheckLabels(spec["nodeSelector"], Child(path, "nodeSelector"), causes);
  ValidateAffinity(spec["affinity"], Child(path, "affinity"), causes);
  ValidateTolerations(spec["tolerations"], Child(path, "tolerations"), causes);
  const json::Value& spread = spec["topologySpreadConstraints"];
  for (size_t i = 0; i < spread.size(); ++i) {
    const std::string place = Index(Child(path, "topologySpreadConstraints"), i);
    CheckSpread(spread.At(i), place, causes);
    CheckSpreadTwice(spread, i, place, causes);
  }
  CheckGates(spec["schedulingGates"], Child(path, "schedulingGates"), causes);
}

}  // namespace coppice::server
