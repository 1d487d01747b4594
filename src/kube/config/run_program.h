#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace coppice::kube {

// Runs a program without a shell and returns what it wrote to standard output. Its standard error
// is ours, its standard input is empty. `env` is added to our environment. Fails when it cannot be
// started, exits with another code than 0, writes more than 1 MiB or is not done in time.
base::Result<std::string> RunProgram(const std::string& command,
                                     const std::vector<std::string>& args,
                                     const std::map<std::string, std::string>& env,
                                     std::chrono::milliseconds timeout);

}  // namespace coppice::kube
