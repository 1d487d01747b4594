#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/result.h"

namespace coppice::engine {

// The decisions of a cycle, and why groups wait, in short.
struct RecordedCycle {
  struct Decision {
    std::string kind;  // "bind", "evict", "pipeline".
    std::string pod;   // "namespace/name".
    std::string node;
    std::string action;
    std::string why;  // Of an eviction.
  };
  struct Wait {
    std::string group;  // "namespace/name".
    std::string message;
  };
  base::Time now{};
  std::vector<Decision> decisions;
  std::vector<Wait> waits;
};

// Describes cycles one after the other: a group is listed among those that wait only if its message
// is another than in the cycle before.
class CycleDescriber {
 public:
  RecordedCycle Describe(base::Time now, const CycleResult& result);

 private:
  std::map<std::string, size_t> messages_;  // Hashes by group.
};

// What the second cycle decides otherwise, as text; nullopt if nothing. Which shared GPUs pods get
// and the order of decisions do not count.
std::optional<std::string> DifferenceOf(const RecordedCycle& recorded, const RecordedCycle& other);
// "bind ns/a to n1 (allocate)".
std::string DecisionText(const RecordedCycle::Decision& decision);

}  // namespace coppice::engine
