#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace coppice::cli {

// A topology level that a set asks for and the binding does not have, so that it cannot be
// rendered.
struct UnresolvedLevel {
  std::string path;    // The path of the constraint in the set.
  std::string domain;  // "rack".
  bool required = false;
  std::string message;
};

// The unresolved levels of a PodCliqueSet. `binding` is the given ClusterTopologyBinding, or null.
std::vector<UnresolvedLevel> FindUnresolvedLevels(const json::Value& set,
                                                  const json::Value& binding);

}  // namespace coppice::cli
