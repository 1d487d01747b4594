#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/answers/runtime.h"
#include "engine/engine.h"

namespace coppice::engine {

struct EtaOptions {
  // How often the future is played if run times have a spread. Once is enough if they have none.
  int runs = 20;
  // Cycles of all runs together, which bounds the time that an answer takes.
  int most_cycles = 4000;
  // What starts later than this is unknown.
  base::Duration horizon = std::chrono::hours(24 * 90);
  uint64_t seed = 1;
};

// When a waiting group should start, and what that rests on.
struct EtaAnswer {
  enum class State {
    kRuns,      // Its minimum is on nodes.
    kWaits,     // It is in the order of jobs.
    kNotReady,  // Its pods are missing or gated, or its queue does not exist: see `why`.
  };
  State state = State::kWaits;
  GroupKey group;
  std::string object;  // The name that users know.
  std::string queue;

  // Its place among the waiting groups, from 1: of its queue, and of all.
  int queue_position = 0, queue_length = 0;
  int position = 0, length = 0;
  std::vector<Engine::OrderedJob> ahead;  // In order.

  // In half of the futures it starts by p50, in nine of ten by p90. nullopt: unknown.
  std::optional<base::Time> p50, p90;
  int runs = 0;     // Futures that were played,
  int started = 0;  // and in how many it started.

  // The ends of work that come before its start, of the future in the middle.
  struct End {
    GroupKey group;
    std::string object;
    Runtime::Source source = Runtime::Source::kUnknown;
    size_t samples = 0;  // Similar groups that the estimate rests on.
    base::Time end{};
  };
  std::vector<End> rests_on;
  // Groups that run and whose end nobody knows.
  std::vector<std::string> unknown;
  // The nodes that it gets, of the future in the middle.
  std::vector<std::string> nodes;
  // Why it does not start, or when is unknown.
  std::string why;
};

// nullopt if there is no such group. The engine must keep its inputs and is the same afterwards;
// call between cycles.
std::optional<EtaAnswer> AskEta(const Engine& engine, const InputKey& group,
                                const Runtimes& runtimes, base::Time now,
                                const EtaOptions& options = {});

}  // namespace coppice::engine
