#pragma once

#include <string>
#include <vector>

#include "cli/answers/asked_cluster.h"
#include "cli/text/output.h"
#include "services/scheduler/answers/question.h"

namespace coppice::cli {

struct WhatIfOptions {
  AskedFlags asked;
  std::vector<std::string> files;  // Work to submit, in YAML; "-" reads standard input.
  std::string ns;                  // Of documents without one; "": default.
  services::scheduler::WhatIfRequest request;
  Format format = Format::kText;
};

inline constexpr int kDoesNotRun = 1;
inline constexpr int kCannotAsk = 2;

// What would happen if work were submitted, nodes or quotas changed, or nodes failed. Changes
// nothing. Returns 0 if all submitted work would run, kDoesNotRun if not, kCannotAsk on an error.
int RunWhatIf(const WhatIfOptions& options);

// The same on a cluster that was read; see FormatWhatIf for the document.
base::Result<json::Value> ReadWhatIfAnswer(AskedCluster& cluster, const WhatIfOptions& options);

// Formats an answer for humans.
std::string FormatWhatIf(const json::Value& answer);

}  // namespace coppice::cli
