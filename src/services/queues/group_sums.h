#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "api/view/kai.h"
#include "kube/cache/cache.h"
#include "services/common/resource_map.h"

namespace coppice::services::queues {

// Allocated and requested resources, as in the status of a PodGroup or a queue.
struct Usage {
  ResourceMap allocated, allocated_non_preemptible, requested;

  static base::Result<Usage> Read(view::kai::QueueStatus status);
  static base::Result<Usage> Read(view::kai::ResourcesStatus status);
  void Add(const Usage& other);
};

// The sum of the groups of each queue, updated incrementally: summing all groups of a large queue
// after each change would take a whole core. Thread-safe.
class GroupSums {
 public:
  // Call for every change of a group, in order.
  void OnChange(const kube::Change& change);

  // Groups whose status cannot be parsed count as zero.
  Usage Of(const std::string& queue) const;

 private:
  // Amounts of one kind, with the number of groups that have each.
  class Amounts {
   public:
    void Add(const ResourceMap& more);
    void Remove(const ResourceMap& less);
    ResourceMap Sum() const;

   private:
    struct Amount {
      base::Quantity sum;
      size_t groups = 0;
    };
    std::map<std::string, Amount> amounts_;
  };

  struct Queue {
    Amounts allocated, allocated_non_preemptible, requested;
    size_t groups = 0;
  };

  void Add(const json::Value& group);
  void Remove(const json::Value& group);

  mutable std::mutex mutex_;  // Guards queues_.
  std::map<std::string, Queue> queues_;
};

}  // namespace coppice::services::queues
