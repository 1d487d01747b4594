#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace coppice::engine {

// A question about a changed cluster. All changes happen at once, before the next cycle.
struct WhatIf {
  // Groups of pods that are submitted, complete and not gated.
  std::vector<Engine::Question> submit;
  std::vector<std::string> cordon;
  // Like cordon, and the pods of these nodes that are in a group are evicted.
  std::vector<std::string> drain;
  // These nodes are gone, with all their pods.
  std::vector<std::string> fail;
  std::vector<NodeSpec> add;
  // Queues as they would be; they exist already.
  std::vector<QueueSpec> queues;
};

// What would follow, compared with what happens without the change.
struct WhatIfAnswer {
  // Every submitted group gets its minimum.
  bool runs = true;

  struct Group {
    GroupKey group;
    bool runs = false;
    // Some of its pods start only after pods were evicted for them, or have terminated.
    bool waits_for_others = false;
    struct Place {
      PodKey pod;
      std::string node;  // "": none.
    };
    std::vector<Place> pods;
    std::optional<Explanation> why;  // If it does not run.
  };
  std::vector<Group> submitted;

  // Pods on nodes that lose their place, and do not without the change.
  struct Evicted {
    PodKey pod;
    GroupKey group;
    std::string node;
    std::string why;
    std::string again;  // The node that its replacement gets; "": it waits.
  };
  std::vector<Evicted> evicted;

  // Other groups that would have more pods on nodes without the change, or fewer.
  struct Difference {
    GroupKey group;
    std::string object;  // The name that users know.
    int without = 0;     // Pods on nodes without the change.
    int with = 0;
    std::string why;  // Why the rest waits; the scheduler's message.
  };
  std::vector<Difference> delayed;
  std::vector<Difference> sooner;

  int cycles = 0;  // Until nothing changed any more; 1 if the first decided everything.
};

// Answers questions by running the next cycles on a copy of the engine, which must keep its inputs.
// Groups for which there is room while nothing else waits are answered on the engine itself, on
// the journal: thousands per second. Fails if a question names what does not exist, or submits what
// does. Call between cycles; the engine's state is the same afterwards.
base::Result<std::vector<WhatIfAnswer>> AskWhatIf(Engine& engine,
                                                  const std::vector<WhatIf>& questions,
                                                  base::Time now);

}  // namespace coppice::engine
