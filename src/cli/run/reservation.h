#pragma once

#include "cli/run/run.h"

namespace coppice::cli {

// The program in a GPU reservation pod: reports the GPU that it was given, then holds it until it
// is terminated. With --print it prints the GPUs of this machine like `nvidia-smi -L`; with
// --simulated it invents one if there is no driver.
int RunReservation(const RunOptions& options);

}  // namespace coppice::cli
