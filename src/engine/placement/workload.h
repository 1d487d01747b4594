#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "engine/state/cluster.h"

namespace coppice::engine {

// Which pods a cluster has been given, by class: what to expect next where little or nothing waits.
// A pod counts when it is placed and fades with time. Lives as long as the engine; after a restart
// the pods that run stand for what was seen before. Not thread-safe.
class Workload {
 public:
  // Everything seen weighs half as much after this.
  static constexpr base::Duration kHalfLife = std::chrono::hours(24);
  // Only so many classes are remembered; those that weigh least are forgotten.
  static constexpr size_t kMost = 256;

  // Whether such pods take GPUs or parts of them: what comes by claims or is a MIG instance is not
  // what others could have had.
  static bool Counts(const PodClass& cls);

  // Of a class that counts.
  void Saw(ClassId cls) { Add(cls, 1); }
  void FadeTo(base::Time now);

  // Pods to expect of each class, most first, at most kMost classes: those that wait, those that
  // run and those that ran.
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
