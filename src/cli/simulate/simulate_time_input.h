#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace coppice::cli {

// What KAI's time-based-fairshare-simulator is given (docs/behaviour/scheduler.md S-105): a
// cluster, queues, and jobs that want to run for ever.
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

  // Keys that mean nothing, which KAI's does not look at either: "Queues[1].Wieght: …".
  std::vector<std::string> ignored;
};

// Errors name the key. Keys are known in upper and lower case, as to KAI's reader.
base::Result<TimeSimulation> ReadTimeSimulation(std::string_view yaml);

}  // namespace coppice::cli
