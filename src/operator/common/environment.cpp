#include "operator/common/environment.h"

#include <fmt/format.h>

#include <algorithm>

namespace coppice::operators {
namespace {

bool Contains(const std::vector<json::Value>& variables, std::string_view name) {
  return std::any_of(variables.begin(), variables.end(), [&](const json::Value& variable) {
    return variable["name"].AsString() == name;
  });
}

void PrependTo(json::Value& container, const std::vector<json::Value>& variables) {
  std::vector<json::Value> all = variables;
  for (const json::Value& own : container["env"].Items()) {
    if (!Contains(variables, own["name"].AsString())) all.push_back(own);
  }
  container.Set("env", json::Value::Array(std::move(all)));
}

}  // namespace

json::Value EnvValue(std::string_view name, std::string_view value) {
  return json::Value::Object({{"name", name}, {"value", value}});
}

json::Value EnvFromLabel(std::string_view name, std::string_view label) {
  const json::Value reference =
      json::Value::Object({{"fieldPath", fmt::format("metadata.labels['{}']", label)}});
  return json::Value::Object(
      {{"name", name}, {"valueFrom", json::Value::Object({{"fieldRef", reference}})}});
}

void PrependEnvironment(json::Value& pod_spec, const std::vector<json::Value>& variables) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    json::Value* containers = pod_spec.FindMutable(list);
    if (containers == nullptr) continue;
    for (json::Value& container : containers->MutableItems()) PrependTo(container, variables);
  }
}

}  // namespace coppice::operators
