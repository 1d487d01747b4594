#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/manager.h"

namespace coppice::sim {

// One part of the product that can run by itself against any cluster.
struct Component {
  std::string name;
  std::string about;
  bool embedded_only = false;  // Stands in for what a real cluster has.
  base::Status (*add)(kube::Manager& manager);
};

// All of them, in start order.
const std::vector<Component>& Components();

// "all", "none" or a comma-separated list of names.
base::Result<std::vector<std::string>> ParseComponents(std::string_view text);

}  // namespace coppice::sim
