#pragma once

#include <string>
#include <string_view>

// The objects that `coppice demo` submits, as YAML documents.
namespace coppice::cli::demo {

// Queues in shorthand (scenario/shorthand.h): "serving" and "training" have a quota each;
// "research" has none and uses idle capacity.
extern const std::string_view kQueues;
// A disaggregated inference system: router, prefill leader + workers, decode leader + workers, each
// group within one rack.
extern const std::string_view kInference;
// One-GPU research jobs that fill the rest of the cluster, over quota.
extern const std::string_view kResearch;

// Workers with eight GPUs each, in a queue with a quota.
struct TrainingOptions {
  std::string_view name;
  int workers = 1;
  std::string_view priority = "train";
  bool one_rack = false;  // All workers in one rack.
};
std::string TrainingGang(const TrainingOptions& options);

}  // namespace coppice::cli::demo
