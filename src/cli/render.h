#pragma once

#include <string>

namespace coppice::cli {

struct RenderFlags {
  std::string file;     // A PodCliqueSet in YAML; "-" reads standard input.
  std::string backend;  // "" goes by the set's schedulerName.
  std::string diff;     // A second backend to compare with.
  std::string kubernetes = "1.35";
};

// Prints every object that the operator and a backend would create for a set, without a cluster.
int RunRender(const RenderFlags& flags);

}  // namespace coppice::cli
