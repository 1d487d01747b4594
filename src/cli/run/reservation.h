#pragma once

#include "cli/run/run.h"

namespace coppice::cli {

// The program in a GPU reservation pod: reports the one GPU that it was given, then holds it until
// it is told to end. With --print it prints the GPUs of this machine as `nvidia-smi -L` does, with
// --simulated it makes one up where there is no driver.
int RunReservation(const RunOptions& options);

}  // namespace coppice::cli
