#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace coppice::cli {

// What KAI's time-based-fairshare-simulator is given (spec/scheduler.md 6): a cluster, queues, and
// jobs that want to run for ever.
struct TimeSimulation {
  struct NodeKind {
    int gpus = 0;
    int count = 1;
  };
  struct QueueKind {
    std::string name;
    std::string parent;
    int priority = 100;
    double deserved_gpus = 0;
    double weight = 1;
  };
  struct JobKind {
    int gpus = 0;  // Per pod.
    int pods = 1;  // Per job.
    int jobs = 0;
  };

  int cycles = 100;
  int window_size = 5;          // Cycles of a second.
  double half_life_period = 0;  // Seconds; 0: all of the window counts alike.
  double k_value = 1;
  std::vector<NodeKind> nodes;
  std::vector<QueueKind> queues;
  std::map<std::string, JobKind> jobs;  // By queue.
};

// Errors name the key.
base::Result<TimeSimulation> ReadTimeSimulation(std::string_view yaml);

// Lets the scheduler run a cycle per second, doing at once what it decides and remembering what
// each queue held. "Time,QueueID,Allocation,FairShare" in GPUs, a line per cycle and queue.
std::string SimulateTime(const TimeSimulation& simulation);

struct TimeSimulationOptions {
  std::string input = "-";
  std::string output = "-";
};
int RunTimeSimulator(const TimeSimulationOptions& options);

}  // namespace coppice::cli
