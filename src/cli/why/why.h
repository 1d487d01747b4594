#pragma once

#include <functional>
#include <string>

#include "cli/common/connect.h"
#include "cli/common/output.h"
#include "cli/common/picture.h"
#include "json/value.h"

namespace coppice::cli {

struct WhyOptions {
  ClusterFlags cluster;
  std::string ns;  // "": the context's namespace.
  // A pod, PodGroup, gang, set or owner of pods; "pod/a" and "job/a" are specific.
  std::string target;
  Format format = Format::kText;
};

// Explains why something waits: reads the cluster into the engine and asks it. Works on any cluster
// and writes nothing.
int RunWhy(const WhyOptions& options);

// The same on an existing client, with one explanation per gang (see why_format.h). `wait` blocks
// until a condition is true on the executor, and returns whether that happened in time.
using WhyWait = PictureWait;
base::Result<json::Value> ReadWhy(kube::Client& client, kube::Executor& executor,
                                  const std::string& ns, const std::string& target,
                                  const WhyWait& wait = {});

}  // namespace coppice::cli
