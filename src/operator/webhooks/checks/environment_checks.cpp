#include <fmt/format.h>

#include "api/key/core.h"
#include "api/schema/errors/field_error.h"
#include "api/view/core.h"
#include "operator/webhooks/checks/checks.h"
#include "operator/webhooks/checks/duplicates.h"

namespace coppice::operators::webhooks {
namespace {

constexpr std::string_view kLetters =
    "-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

// Kubernetes' message about an invalid environment variable name; "" if it is valid.
std::string NameProblem(std::string_view name) {
  const bool well_formed = !name.empty() &&
                           name.find_first_not_of(kLetters) == std::string_view::npos &&
                           (name[0] < '0' || name[0] > '9');
  if (!well_formed) {
    return "a valid environment variable name must consist of alphabetic characters, digits, '_', "
           "'-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  "
           "or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";
  }
  if (name == "." || name == "..") return fmt::format("must not be '{}'", name);
  return name.starts_with("..") ? "must not start with '..'" : "";
}

void CheckVariables(view::List<view::core::EnvVar> env, const std::string& path, Causes& causes) {
  std::vector<std::string> names;
  for (size_t e = 0; e < env.size(); ++e) {
    names.emplace_back(env.At(e).name());
    const std::string problem = NameProblem(names.back());
    if (problem.empty()) continue;
    causes.push_back(api::InvalidField(fmt::format("{}[{}].name", path, e), names.back(), problem));
  }
  if (const auto repeated = Duplicates(names); !repeated.empty()) {
    causes.push_back(api::DuplicateField(path, ToList(repeated)));
  }
}

}  // namespace

void CheckEnvironment(const json::Value& pod_spec, const std::string& path, Causes& causes) {
  using Key = key::core::PodSpec;
  for (const std::string_view list : {Key::containers, Key::initContainers}) {
    const view::List<view::core::Container> containers(pod_spec[list]);
    for (size_t c = 0; c < containers.size(); ++c) {
      CheckVariables(containers.At(c).env(), fmt::format("{}.{}[{}].env", path, list, c), causes);
    }
  }
}

}  // namespace coppice::operators::webhooks
