#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "json/value.h"
#include "tests/vectors/engine_case.h"

namespace coppice::vectors {

// What one session did, as cases tell it.
struct Calls {
  std::vector<std::string> binds;
  std::vector<std::string> evictions;
  std::vector<std::string> pipelined;
};

using Differences = std::vector<std::string>;

// What must hold (`expect`), but for the number of calls.
void CompareExpectation(const EngineCase& given, const engine::Engine& engine,
                        const json::Value& expect, const json::Value& observed, base::Time now,
                        Differences& out);
void CompareAtMost(const Calls& calls, const json::Value& at_most, Differences& out);
// Statuses, nodes and shared GPUs of the pods that do not vary, and the calls where given.
void CompareDecisions(const EngineCase& given, const engine::Engine& engine,
                      const json::Value& observed, const Calls& calls, Differences& out);
// Accepted GPUs, zones, nodes and messages as well.
void CompareInFull(const EngineCase& given, const engine::Engine& engine,
                   const json::Value& observed, const Calls& calls, Differences& out);

}  // namespace coppice::vectors
