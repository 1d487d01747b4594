#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace coppice::cli {

// The input of KAI's time-based-fairshare-simulator (docs/behaviour/scheduler.md S-105): a cluster,
// queues, and jobs that run forever.
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
  int window_size = 5;          // In cycles of one second.
  double half_life_period = 0;  // Seconds; 0: the whole window has equal weight.
  double k_value = 1;
  std::vector<NodeKind> nodes;
  std::vector<QueueKind> queues;
  std::map<std::string, JobKind> jobs;  // By queue.

  // Unknown keys, which KAI ignores too: "Queues[1].Wieght: …".
  std::vector<std::string> ignored;
};

// Errors name the key. Keys are case-insensitive, as in KAI's reader.
base::Result<TimeSimulation> ReadTimeSimulation(std::string_view yaml);

}  // namespace coppice::cli
