#pragma once

#include <cstdint>
#include <string>

#include "json/value.h"

namespace coppice::page {

// What objects that stand for several pods say about them: a PodCliqueSet, a PodGang, a KAI
// PodGroup, a Job, a Kueue Workload. Fields that a kind does not have stay empty.
struct OwnerFacts {
  std::string owner;        // The workload that it belongs to, as text; "" if it is one itself.
  std::string queue;        // KAI queue, or Kueue ClusterQueue.
  std::string local_queue;  // Kueue's LocalQueue, by label or spec.
  std::string reason;       // Why it waits, if it says so.
  std::string message;
  int64_t min = 0;  // Pods that must run together.
  int64_t created = 0;
  double asked = 0;  // GPUs of pods that do not exist yet.
  bool suspended = false;
  bool deleting = false;
  bool done = false;
  bool failed = false;

  friend bool operator==(const OwnerFacts&, const OwnerFacts&) = default;
};

OwnerFacts ReadSet(const json::Value& set);
OwnerFacts ReadGang(const json::Value& gang);
OwnerFacts ReadGroup(const json::Value& pod_group);
OwnerFacts ReadJob(const json::Value& job);
OwnerFacts ReadKueueWorkload(const json::Value& workload);

}  // namespace coppice::page
