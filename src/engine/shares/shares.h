#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/framework/plugins.h"
#include "engine/model/result.h"
#include "engine/state/cluster.h"

namespace coppice::engine {

// What evicting one job's tasks would free: each elastic task separately, then the core tasks
// together.
struct ReclaimBundle {
  Sums amount;
  uint32_t resources = 0;  // Bits of the resources that count as taken; MIG instances alone do not.
};

// By victim queue, in the order in which the search found them.
using VictimBundles = std::vector<std::pair<QueueId, std::vector<ReclaimBundle>>>;

// The proportion plugin: how much of the cluster each queue deserves, has and may take
// (docs/behaviour/engine.md S-67 to S-77). Reads and writes the shares in Cluster::queues.
class Shares {
 public:
  Shares(Cluster& cluster, const Plugins& plugins) : cluster_(cluster), plugins_(plugins) {}

  // Sums up allocations and requests, and divides the cluster.
  void Open(const std::map<std::string, QueueUsage>& usage);
  const Quantities& total() const { return total_; }

  // Negative if `l` is served before `r`. `jl`, `jr`: what the candidates would add; `vl`, `vr`:
  // what the victims so far would free.
  int Compare(QueueId l, QueueId r, const Quantities& jl, const Quantities& jr, const Sums& vl,
              const Sums& vr) const;

  // Saves the queues' allocations before a victim search begins.
  void TakeSnapshot();

  bool CanReclaim(QueueId queue, const Quantities& request, bool preemptible) const;
  bool IsReclaimVictim(QueueId reclaimer, const Quantities& request, QueueId victim) const;
  bool ReclaimAllowed(QueueId reclaimer, const Quantities& request, bool preemptible,
                      const VictimBundles& victims) const;

  // An upper bound of the GPUs (in thousandths) that can be taken from the victim's side of the
  // tree if each step takes between `smallest` and `largest`; nullopt if other resources may
  // decide.
  std::optional<int64_t> MostReclaimable(QueueId reclaimer, const Quantities& request,
                                         QueueId victim, int64_t smallest, int64_t largest) const;

  // Why the tasks would exceed a limit or a non-preemptible quota; nullopt if they would not.
  std::optional<FitError> OverCapacity(JobId job, const Quantities& request) const;
  std::optional<FitError> OverQuota(JobId job, const Quantities& request) const;
  // Requests in the terms of the capacity policy.
  Quantities CapacityRequest(std::span<const TaskId> tasks) const;
  // The same for one task on one node.
  Quantities CapacityRequestOn(TaskId task, NodeId node) const;

  // The "GPU: …" line of a queue at the time of the snapshot, for eviction messages.
  std::string DescribeForEviction(QueueId queue) const;
  // The pair of queues to name in an eviction message.
  std::pair<QueueId, QueueId> QueuesForEviction(QueueId victim, QueueId reclaimer) const;

 private:
  void ReadQuotas(const std::map<std::string, QueueUsage>& usage);
  void CountTotals();
  void CountJobs();
  void Divide(const Quantities& total, std::span<const QueueId> siblings);
  double Share(const Queue& queue, int resource) const;
  double DominantShare(const Queue& queue, const Quantities& allocated) const;
  bool Violates(const Queue& queue, const Quantities& allocated) const;
  Quantities SharesOf(const Queue& queue) const;
  std::pair<QueueId, QueueId> Levelled(QueueId a, QueueId b) const;
  std::vector<QueueId> Path(QueueId queue) const;  // From the root.
  bool SiblingsAllow(QueueId reclaimer, const Quantities& request, bool preemptible,
                     const std::map<QueueId, Quantities>& remaining,
                     const std::map<QueueId, uint32_t>& involved) const;
  FitError Describe(JobId job, QueueId queue, const Quantities& request, std::string reason,
                    std::string message) const;

  Cluster& cluster_;
  const Plugins& plugins_;
  Quantities total_;
  std::vector<Sums> allocated_before_;
  std::vector<Sums> non_preemptible_before_;
};

}  // namespace coppice::engine
