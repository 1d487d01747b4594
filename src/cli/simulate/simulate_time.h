#pragma once

#include <string>

#include "cli/simulate/simulate_time_input.h"

namespace coppice::cli {

// Lets the scheduler run a cycle per second, doing at once what it decides and remembering what
// each queue held. "Time,QueueID,Allocation,FairShare" in GPUs, a line per cycle and queue.
std::string SimulateTime(const TimeSimulation& simulation);

struct TimeSimulationOptions {
  std::string input = "-";
  std::string output = "-";
};
int RunTimeSimulator(const TimeSimulationOptions& options);

}  // namespace coppice::cli
