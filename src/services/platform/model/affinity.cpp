#include "services/platform/model/affinity.h"

#include "api/edit/core.h"
#include "api/key/core.h"
#include "api/labels.h"
#include "services/common/names.h"

namespace coppice::services::platform {
namespace {

using json::Value;

void KeepApartByHost(std::string_view app, edit::core::PodAffinityTerm term) {
  term.set_topologyKey(api::labels::kHostname);
  term.labelSelector().matchLabels().Set(names::kAppLabel, app);
}

Value DefaultAntiAffinity(std::string_view app, bool required) {
  Value made;
  const edit::core::PodAntiAffinity anti(made);
  const auto preferred = anti.add_preferredDuringSchedulingIgnoredDuringExecution();
  preferred.set_weight(100);
  KeepApartByHost(app, preferred.podAffinityTerm());
  if (required) KeepApartByHost(app, anti.add_requiredDuringSchedulingIgnoredDuringExecution());
  return made;
}

}  // namespace

Value AffinityOf(std::string_view app, view::core::Affinity own, view::kai::ConfigGlobal global) {
  using Key = key::core::Affinity;
  const view::core::Affinity shared = global.affinity();
  Value affinity = Value::Object();
  for (const std::string_view part : {Key::nodeAffinity, Key::podAffinity, Key::podAntiAffinity}) {
    for (const Value* given : {&own.Json(), &shared.Json()}) {
      if (given->Has(part)) affinity.SetDefault(part, (*given)[part]);
    }
  }
  // An affinity given in one place alone is taken as it is.
  const bool given_once = own.Json().empty() != shared.Json().empty();
  const bool required = global.requireDefaultPodAntiAffinityTerm();
  const bool has_anti = view::core::Affinity(affinity).has_podAntiAffinity();
  if (has_anti || (given_once && !required)) return affinity;
  edit::core::Affinity(affinity).set_podAntiAffinity(DefaultAntiAffinity(app, required));
  return affinity;
}

}  // namespace coppice::services::platform
