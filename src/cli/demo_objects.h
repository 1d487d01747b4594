#pragma once

#include <string>
#include <string_view>

// What `coppice demo` submits, as YAML documents.
namespace coppice::cli::demo {

// Queues, in short (scenario/shorthand.h): "serving" and "training" have a quota each, "research"
// has none and lives off what is idle.
extern const std::string_view kQueues;
// A disaggregated inference system: router, prefill leader + workers, decode leader + workers, each
// group within one rack.
extern const std::string_view kInference;
// One-GPU research jobs that fill the rest of the cluster beyond any quota.
extern const std::string_view kResearch;

// Workers of eight GPUs each, in a queue with a quota.
struct TrainingOptions {
  std::string_view name;
  int workers = 1;
  std::string_view priority = "train";
  bool one_rack = false;  // All of them.
};
std::string TrainingGang(const TrainingOptions& options);

}  // namespace coppice::cli::demo
