#include "server/kinds/admission_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/kinds/checks/checks.h"

namespace coppice::server {
namespace {

void CheckAlone(const json::Value& list, const char* what, const std::string& path,
                Causes& causes) {
  const auto items = list.Items();
  const bool all =
      std::ranges::any_of(items, [](const json::Value& item) { return item.AsString() == "*"; });
  if (!all || items.size() == 1) return;
  causes.push_back(api::InvalidField(
      path, list, fmt::format("if '*' is present, must not specify other {}", what)));
}

json::Value WithoutSubresources(const json::Value& resources) {
  json::Value plain = json::Value::Array();
  for (const json::Value& resource : resources.Items()) {
    if (resource.AsString().find('/') == std::string_view::npos) plain.Append(resource);
  }
  return plain;
}

}  // namespace

void CheckAdmissionRules(const json::Value& rules, const std::string& path, Causes& causes) {
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::string place = api::Index(path, i);
    for (const char* field : {"operations", "apiGroups", "apiVersions", "resources"}) {
      if (!rules.At(i)[field].empty()) continue;
      causes.push_back(api::RequiredField(api::Child(place, field)));
    }
    CheckAlone(rules.At(i)["operations"], "operations", api::Child(place, "operations"), causes);
    CheckAlone(rules.At(i)["apiGroups"], "API groups", api::Child(place, "apiGroups"), causes);
    CheckAlone(rules.At(i)["apiVersions"], "API versions", api::Child(place, "apiVersions"),
               causes);
    CheckAlone(WithoutSubresources(rules.At(i)["resources"]), "resources without subresources",
               api::Child(place, "resources"), causes);
    CheckOneOf(rules.At(i)["scope"], {"*", "Cluster", "Namespaced"}, api::Child(place, "scope"),
               causes);
    const json::Value& operations = rules.At(i)["operations"];
    for (size_t o = 0; o < operations.size(); ++o) {
      CheckOneOf(operations.At(o), {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"},
                 api::Index(api::Child(place, "operations"), o), causes);
    }
  }
}

}  // namespace coppice::server
