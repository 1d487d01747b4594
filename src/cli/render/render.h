#pragma once

#include <string>

namespace coppice::cli {

struct RenderFlags {
  // PodCliqueSets in YAML; "-" reads standard input. Other documents in the file are treated as
  // objects in the cluster: ClusterTopologyBindings, queues, priority classes.
  std::string file;
  std::string backend;      // "" uses the set's schedulerName.
  std::string diff;         // A second backend to compare with.
  std::string config_file;  // The operator's configuration.
  std::string kubernetes = "1.35";
};

// Prints every object that the operator and a backend would create for a set, without a cluster;
// with `diff`, the lines that differ for a second backend. What a backend cannot express natively
// or refuses goes to standard error; a refusal is a failure.
int RunRender(const RenderFlags& flags);

}  // namespace coppice::cli
