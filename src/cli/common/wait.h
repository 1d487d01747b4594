#pragma once

#include <functional>

#include "kube/executor/executor.h"

namespace coppice::cli {

// Blocks the calling thread until `done`, asked on `executor` as often as told, or for at most
// `limit`. Returns whether it was done. Not to be called from a task.
bool WaitUntil(kube::Executor& executor, base::Duration limit, std::function<bool()> done,
               base::Duration ask_every = std::chrono::milliseconds(5));

// Blocks until SIGINT or SIGTERM, or until somebody asks to restart, and says which. Call
// BlockSignals before any thread starts.
extern const int kRestartSignal;
void BlockSignals();
int WaitForSignal();
void AskToRestart();

}  // namespace coppice::cli
