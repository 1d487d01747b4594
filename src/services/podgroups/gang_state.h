#pragma once

#include <string>
#include <vector>

#include "json/value.h"

// The state of a pod group's gang, from its pods.
namespace coppice::services::podgroups {

struct GangState {
  std::string phase;  // "Pending", "Running", "Succeeded" or "Failed".
  bool minimum_scheduled = false;
  std::string reason;
  std::string message;
};

GangState GangStateOf(const json::Value& group, const std::vector<json::Value>& pods);

}  // namespace coppice::services::podgroups
