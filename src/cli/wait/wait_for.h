#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// What `coppice wait` waits for.
enum class WaitGoal { kReady, kScheduled, kDeleted, kComplete };
// "ready", "scheduled", "deleted" (also "delete") or "complete", as --for takes it; also
// "condition=Ready".
base::Result<WaitGoal> ParseWaitGoal(std::string_view text);

struct WaitState {
  enum class Is { kNotYet, kMet, kImpossible } is = Is::kNotYet;
  std::string text;  // How far it is: "3 of 8 pods are Ready".
};

// How far an object is, from its own status and its pods. Deleted is for the caller to see.
base::Result<WaitState> CheckWait(kube::Client& client, const json::Value& object, WaitGoal what);

}  // namespace coppice::cli
