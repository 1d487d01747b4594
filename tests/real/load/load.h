#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "kube/thread_executor.h"
#include "kube/transport/connection.h"

// What the parts of the load program share. It measures any API server from outside, over the same
// HTTP client, and prints one JSON line per figure.
namespace coppice::load {

// How a cluster is reached.
struct Target {
  kube::ThreadExecutor executor;
  kube::ClusterConfig config;
  std::unique_ptr<kube::ClusterConnection> connection;
};

std::unique_ptr<Target> Connect(const std::string& kubeconfig);

// {"name":…,"value":…,"unit":…}
void Report(const std::string& name, double value, const std::string& unit);

using Work = std::function<bool(int64_t i)>;  // False: it failed.

// Calls `work` with 0, 1, 2, … from `threads` threads until `count` calls are done or `limit` is
// over. Returns calls per second. Stops the program when a call fails.
double CallsPerSecond(int threads, int64_t count, std::chrono::seconds limit, const Work& work);

double SecondsSince(std::chrono::steady_clock::time_point start);

// One request; prints what went wrong.
bool Send(Target& target, const std::string& method, const std::string& path,
          std::string body = {});

// Throughput and latency of a server: creates, binds, gets, lists, watchers.
void MeasureServer(Target& target);
// Makes `count` pods of 5.7 KB that look as if they ran.
void FillWithPods(Target& target, int count);
// How long the product's informer takes to sync all pods, and what it needs for it.
void MeasureInformer(Target& target, bool trimmed);

}  // namespace coppice::load
