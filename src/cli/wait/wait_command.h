#pragma once

#include <string>
#include <vector>

#include "cli/common/connect.h"
#include "cli/wait/wait_for.h"
#include "kube/executor/executor.h"

namespace coppice::cli {

struct WaitOptions {
  ClusterFlags cluster;
  std::string ns;                   // "": the context's namespace.
  std::vector<std::string> target;  // NAME, KIND/NAME or KIND NAME.
  std::string what = "ready";       // --for.
  std::string timeout = "5m";       // --timeout; 0 checks once.
};

// The exit codes of `coppice wait`; 1 is an error, such as a name that nothing has.
inline constexpr int kWaitTimedOut = 3;
inline constexpr int kWaitImpossible = 4;  // A Job that has failed never becomes ready.

int RunWait(const WaitOptions& options);

// The same on an existing client; prints how it ended. `target` is KIND/NAME or NAME.
int WaitOn(kube::Client& client, kube::Executor& executor, const std::string& ns,
           const std::string& target, WaitGoal what, base::Duration timeout);

}  // namespace coppice::cli
