#pragma once

#include <gtest/gtest.h>

#include <string>

#include "engine/model/result.h"

namespace coppice::engine::testing {

// The status of the pod group with this name.
inline const GroupStatus& StatusOf(const CycleResult& result, const std::string& name) {
  for (const auto& group : result.groups) {
    if (group.group.name == name) return group;
  }
  static const GroupStatus kNoStatus;
  ADD_FAILURE() << "nothing is said about " << name;
  return kNoStatus;
}

}  // namespace coppice::engine::testing
