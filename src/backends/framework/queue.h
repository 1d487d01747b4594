#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/framework/backend.h"

namespace coppice::backends {

// Where a queue's name is looked for, in order, on the set and on each clique template.
struct QueueKey {
  bool label;
  std::string_view key;
};

// A queue as the set and its clique templates name it.
struct QueueAnswer {
  std::string queue;                     // "" when nobody names one.
  std::vector<std::string> conflicting;  // All different names, when they do not agree.
  std::string of_set;                    // What the set itself names.
  std::string clique;                    // The first that contradicts the set, and its queue.
  std::string of_clique;
};

// The set's queue, which every template that names one must repeat; without one, the queue that
// all templates agree on. Without a set the gang's own metadata (a mirror of the set's) is read.
QueueAnswer ResolveQueue(const GangInput& input, const std::vector<QueueKey>& keys);

// "ai/llm", for messages about the set.
std::string SetName(const GangInput& input);

}  // namespace coppice::backends
