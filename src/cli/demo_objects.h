#pragma once

#include <string_view>

// What `coppice demo` submits, as YAML documents; `kubectl apply` takes the same texts.
namespace coppice::cli::demo {

// Queues: "serving" and "training" have a quota each, "research" has none and lives off what is idle.
extern const std::string_view kQueues;
// A disaggregated inference system: router, prefill leader + workers, decode leader + workers, each
// group within one rack.
extern const std::string_view kInference;
// One-GPU research jobs that fill the rest of the cluster beyond any quota.
extern const std::string_view kResearch;
// A gang with a quota, which takes its GPUs back from research.
extern const std::string_view kTraining;
// A gang that no rack of this cluster can hold.
extern const std::string_view kImpossible;

}  // namespace coppice::cli::demo
