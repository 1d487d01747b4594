#include "operator/common/environment.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/edit/core.h"
#include "api/key/core.h"
#include "api/view/core.h"

namespace coppice::operators {
namespace {

bool Contains(const std::vector<json::Value>& variables, std::string_view name) {
  return std::any_of(variables.begin(), variables.end(), [&](const json::Value& variable) {
    return view::core::EnvVar(variable).name() == name;
  });
}

void PrependTo(json::Value& container, const std::vector<json::Value>& variables) {
  std::vector<json::Value> all = variables;
  for (const view::core::EnvVar own : view::core::Container(container).env()) {
    if (!Contains(variables, own.name())) all.push_back(own.Json());
  }
  edit::core::Container(container).set_env(json::Value::Array(std::move(all)));
}

}  // namespace

json::Value EnvValue(std::string_view name, std::string_view value) {
  json::Value variable = json::Value::Object();
  edit::core::EnvVar(variable).set_name(name).set_value(value);
  return variable;
}

json::Value EnvFromLabel(std::string_view name, std::string_view label) {
  json::Value variable = json::Value::Object();
  edit::core::EnvVar(variable).set_name(name).valueFrom().fieldRef().set_fieldPath(
      fmt::format("metadata.labels['{}']", label));
  return variable;
}

void PrependEnvironment(json::Value& pod_spec, const std::vector<json::Value>& variables) {
  using Key = key::core::PodSpec;
  for (const std::string_view list : {Key::containers, Key::initContainers}) {
    json::Value* containers = pod_spec.FindMutable(list);
    if (containers == nullptr) continue;
    for (json::Value& container : containers->MutableItems()) PrependTo(container, variables);
  }
}

}  // namespace coppice::operators
