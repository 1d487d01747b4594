#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "kube/executor/thread_executor.h"
#include "tests/real/load/raw_connection.h"

// What the parts of the load program share. It measures any API server from outside, with the same
// bytes over the same kind of connection, and prints one JSON line per figure.
namespace coppice::load {

// How a cluster is reached.
struct Target {
  explicit Target(const std::string& kubeconfig);

  kube::ThreadExecutor executor;
  const kube::ClusterConfig config;
  const RawServer server;
};

// {"name":…,"value":…,"unit":…}
void Report(const std::string& name, double value, const std::string& unit);

double SecondsSince(std::chrono::steady_clock::time_point start);

// Calls `work` with 0, 1, 2, … from `threads` threads, each with a connection of its own, until
// `count` calls are done or `limit` is over. Returns calls per second.
using Work = std::function<void(RawClient& client, int64_t i)>;
double CallsPerSecond(const Target& target, int threads, int64_t count, std::chrono::seconds limit,
                      const Work& work);

void CreateNamespace(RawClient& client, const std::string& name);

// Throughput and latency of a server: creates, binds, gets, lists, watchers.
// `only` one part of it: single, creates, binds, gets, lists or watchers; "" for all.
void MeasureServer(const Target& target, const std::string& only);
// From the first of some writes until each of a thousand watchers has heard of the last.
void MeasureFanOut(const Target& target, const std::string& ns);
// Makes `count` pods of 5.7 KB that look as if they ran.
void FillWithPods(const Target& target, int count);
// How long the product's informer takes to sync all pods, and what it needs for it.
void MeasureInformer(Target& target, bool trimmed);

// Nodes of eight GPUs.
void MakeNodes(const Target& target, int count);

struct StackLoad {
  bool bare = false;  // The load itself binds.
  int gang = 0;  // So many pods at a time are a PodGang of grove-scheduler; 0: each for itself.
};
// One-GPU pods, until the last has a node: bound by the load itself, or by whoever runs.
void MeasureStack(Target& target, const std::string& ns, int pods, const StackLoad& load);

}  // namespace coppice::load
