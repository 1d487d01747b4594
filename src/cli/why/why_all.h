#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/common/view_flags.h"
#include "cli/why/why.h"
#include "json/value.h"

namespace coppice::cli {

struct WhyAllOptions {
  std::string ns;        // "": all namespaces.
  std::string selector;  // -l.
};

// Everything that waits, as `why NAME` explains it, worst first; each explanation also has
// "namespace", "name", "queue", "since" and "pods", the number of pods that wait.
base::Result<json::Value> ReadWhyAll(kube::Client& client, kube::Executor& executor,
                                     const WhyAllOptions& options, const WhyWait& wait = {});

// One line each, below a line per verdict and reason.
std::string FormatWhyAll(const json::Value& answers, const TextOptions& options);

// "gang/serve-0": what other commands take.
std::vector<std::string> NamesOfWaiting(const json::Value& answers);

}  // namespace coppice::cli
