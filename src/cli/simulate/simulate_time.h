#pragma once

#include <string>

#include "cli/simulate/simulate_time_input.h"

namespace coppice::cli {

// Runs one scheduler cycle per second, applies its decisions immediately and records what each
// queue held. Prints "Time,QueueID,Allocation,FairShare" in GPUs, one line per cycle and queue.
std::string SimulateTime(const TimeSimulation& simulation);

struct TimeSimulationOptions {
  std::string input = "-";
  std::string output = "-";
};
int RunTimeSimulator(const TimeSimulationOptions& options);

}  // namespace coppice::cli
