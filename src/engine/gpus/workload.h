#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "engine/state/cluster.h"

namespace coppice::engine {

// Counts the pods that the cluster has received, by class, to know what to expect when few or none
// wait. A pod counts when it is placed, and its weight decays with time. Lives as long as the
// engine; after a restart only the running pods represent the past. Not thread-safe.
class Workload {
 public:
  // Weights halve after this time.
  static constexpr base::Duration kHalfLife = std::chrono::hours(24);
  // At most this many classes are kept; the lightest are dropped.
  static constexpr size_t kMost = 256;

  // Whether such pods take whole or shared GPUs. Pods that get devices through claims or MIG
  // instances do not compete with others for those.
  static bool Counts(const PodClass& cls);

  // For a class that counts.
  void Saw(ClassId cls) { Add(cls, 1); }
  void FadeTo(base::Time now);

  // The expected pods of each class, most first, at most kMost classes: waiting, running and past
  // ones.
  struct Expected {
    ClassId cls = kNone;
    double pods = 0;
  };
  std::vector<Expected> Expect(const Cluster& cluster) const;
  size_t size() const { return seen_.size(); }

 private:
  void Add(ClassId cls, double pods);
  void Trim();

  std::vector<Expected> seen_;  // By class.
  base::Time faded_to_{};
};

}  // namespace coppice::engine
