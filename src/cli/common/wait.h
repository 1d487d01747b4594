#pragma once

#include <functional>

#include "kube/executor/executor.h"

namespace coppice::cli {

// Blocks the calling thread until `done`, which is polled on `executor`, returns true, or for at
// most `limit`. Returns whether it did. Must not be called from a task.
bool WaitUntil(kube::Executor& executor, base::Duration limit, std::function<bool()> done,
               base::Duration ask_every = std::chrono::milliseconds(5));

// Blocks until SIGINT or SIGTERM, or until AskToRestart is called, and returns the signal. Call
// BlockSignals before any thread starts.
extern const int kRestartSignal;
void BlockSignals();
int WaitForSignal();
void AskToRestart();

}  // namespace coppice::cli
