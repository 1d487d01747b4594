#pragma once

#include <string>

#include "cli/connect.h"
#include "cli/output.h"
#include "engine/explain/explain.h"
#include "json/value.h"

namespace coppice::cli {

struct WhyOptions {
  ClusterFlags cluster;
  std::string ns;      // "": the context's.
  std::string target;  // A pod, PodGroup, gang or set; "pod/a", "gang/a", "set/a" say which.
  Format format = Format::kText;
};

// Says why something waits: reads the cluster into the engine and asks it. Works on any cluster and
// writes nothing.
int RunWhy(const WhyOptions& options);

// The same on a client that is there already:
//   [{"group", "verdict", "reason", "message", "nodes", "evidence", "changes"}]
base::Result<json::Value> ReadWhy(kube::Client& client, kube::Executor& executor,
                                  const std::string& ns, const std::string& target);
std::string FormatWhy(const json::Value& answers);
json::Value ExplanationJson(const engine::Explanation& explanation);

}  // namespace coppice::cli
