#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/model/config.h"
#include "engine/model/result.h"

namespace coppice::engine::testing {

// The default configuration with one quirk in a certain form.
inline Configuration With(Quirk quirk, bool kept, std::vector<std::string> actions = {}) {
  Configuration configuration = Configuration::Defaults();
  configuration.compatibility.Set(quirk, kept);
  if (!actions.empty()) configuration.actions = std::move(actions);
  return configuration;
}

inline std::vector<std::string> Bound(const CycleResult& result) {
  std::vector<std::string> pods;
  for (const auto& bind : result.binds) pods.push_back(bind.pod.name);
  return pods;
}

}  // namespace coppice::engine::testing
