#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include "api/resource.h"
#include "engine/model/explanation.h"

namespace coppice::page {

// What the engine says about the cluster; empty where it cannot see enough of it.
struct Answers {
  std::map<std::string, engine::QueueShare> shares;  // By queue.
  std::unordered_map<api::ObjectKey, engine::Explanation, api::ObjectKeyHash> explanations;
  // The engine's group of a pod that has no PodGroup; "" if there is none. May be null.
  std::function<std::string(const api::ObjectKey& pod)> group_of;
};

}  // namespace coppice::page
