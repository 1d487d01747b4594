#pragma once

#include <cstdint>
#include <string>

#include "json/value.h"

namespace coppice::page {

// What a queue may have of one resource, and has, in cores, bytes and devices. Negative: no bound.
struct QueueAmount {
  double quota = 0;
  double limit = -1;
  double weight = 1;
  double held = 0;
  double asked = 0;
  double fair_share = -1;  // Negative: unknown.

  friend bool operator==(const QueueAmount&, const QueueAmount&) = default;
};

// A KAI Queue, or a Kueue ClusterQueue, whose parent is its cohort.
struct QueueFacts {
  std::string parent;
  std::string kind;  // "Queue" or "ClusterQueue".
  int64_t priority = 0;
  QueueAmount gpu, cpu, memory;

  friend bool operator==(const QueueFacts&, const QueueFacts&) = default;
};

QueueFacts ReadQueueFacts(const json::Value& queue);
QueueFacts ReadClusterQueueFacts(const json::Value& cluster_queue);

// The ClusterQueue of a LocalQueue.
std::string ReadLocalQueue(const json::Value& local_queue);

}  // namespace coppice::page
