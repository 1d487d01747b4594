#pragma once

#include <string>
#include <vector>

#include "json/value.h"

namespace coppice::cli {

// A level of a topology that a set asks for and that the binding does not have, so that nothing of
// it can be rendered.
struct UnresolvedLevel {
  std::string path;    // Of the constraint in the set.
  std::string domain;  // "rack".
  bool required = false;
  std::string message;
};

// Of a PodCliqueSet, with the ClusterTopologyBinding that was given; null without.
std::vector<UnresolvedLevel> FindUnresolvedLevels(const json::Value& set,
                                                  const json::Value& binding);

}  // namespace coppice::cli
