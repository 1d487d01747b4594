#include "backends/model/translation.h"

#include <fmt/format.h>

namespace coppice::backends {

Translation Translation::Refuse(std::string_view reason, std::string path, std::string message) {
  Translation translation;
  translation.refusal = Refusal{std::string(reason), std::move(path), std::move(message)};
  return translation;
}

Translation Translation::Unserved(const api::Resource& resource) {
  return Refuse(
      reasons::kBackendUnavailable, "",
      fmt::format("the cluster does not serve {}/{}", resource.QualifiedName(), resource.version));
}

std::string Describe(const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const Outcome& outcome : outcomes) {
    if (!text.empty()) text += "; ";
    text += outcome.path;
    if (!outcome.value.empty()) text += "=" + outcome.value;
    text += ": " + outcome.outcome;
  }
  return text;
}

}  // namespace coppice::backends
