#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/framework/backend.h"

namespace coppice::backends {

// A place to look for a queue's name. Keys are tried in order, on the set and on each clique
// template.
struct QueueKey {
  bool label;
  std::string_view key;
};

// The queue named by the set and its clique templates.
struct QueueAnswer {
  std::string queue;                     // "" if none is named.
  std::vector<std::string> conflicting;  // All distinct names, if they conflict.
  std::string of_set;                    // The queue named by the set itself.
  std::string clique;  // The first clique that contradicts the set, and its queue.
  std::string of_clique;
};

// The set's queue, which every template that names one must repeat. If the set names none, the
// queue that all templates agree on. Without a set, reads the gang's own metadata (a copy of the
// set's).
QueueAnswer ResolveQueue(const GangInput& input, const std::vector<QueueKey>& keys);

// "ai/llm", for messages about the set.
std::string SetName(const GangInput& input);

}  // namespace coppice::backends
