#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "kube/client/client.h"
#include "kube/executor/strand.h"
#include "kube/executor/task_scope.h"
#include "kube/metrics.h"

namespace coppice::kube {

// Elects one of several processes by a Lease, as Kubernetes' own components do.
//
// Clocks of different machines are never compared: a candidate counts a lease's duration on its own
// clock, from its last read before the one that showed a renewal, so it takes over within the
// duration of the leader's last renewal. The leader steps down if it could not renew for
// `renew_deadline`, which is shorter than the duration minus one retry period, so no other process
// leads before it has stopped. Leadership counts from before the renewal request was sent.
//
//   LeaderElector elector(client, executor, {.ns = "coppice", .name = "operator", .identity = pod},
//                         {.on_started = …, .on_stopped = …});
//   FencedClient fenced(client, elector);   // What the controllers write with.
//   elector.Start();
class LeaderElector {
 public:
  struct Options {
    std::string ns;
    std::string name;
    std::string identity;
    base::Duration lease_duration = std::chrono::seconds(15);
    base::Duration renew_deadline = std::chrono::seconds(10);
    base::Duration retry_period = std::chrono::seconds(2);
    Metrics* metrics = nullptr;
  };
  // Called on the executor, one at a time. After on_stopped the elector is a candidate again.
  struct Callbacks {
    std::function<void()> on_started;
    std::function<void()> on_stopped;
  };

  LeaderElector(Client& client, Executor& executor, Options options, Callbacks callbacks);
  ~LeaderElector();

  void Start();
  // Releases the lease if held, so that another process takes over at once. Stop all writers first.
  // Calls no callback.
  void Stop();
  // True while this process is guaranteed to be the only leader. False as soon as the time is up,
  // even while a renewal request is still pending.
  bool IsLeader() const;
  // For writes of a leader: see FencedClient. Null if this process is not the leader. Its `holds`
  // may be called as long as this lives.
  WriteFencePtr Fence() const;
  // The holder as last seen; "" if none.
  std::string Leader() const;

 private:
  void Campaign();
  // True when the lease is ours now.
  bool TryToHold();
  base::Result<bool> Acquire(const json::Value& lease, base::Instant now);
  base::Result<bool> CreateLease();
  void Observe(const json::Value& lease, base::Instant now);
  json::Value Spec(const json::Value& previous) const;
  void Held(base::Instant since);
  void SetFence();
  void CheckDeadline();
  void Release();
  void ReportStatus(bool leading);

  Client& client_;
  const Options options_;
  const Callbacks callbacks_;
  Strand strand_;  // Requests.
  Strand callbacks_strand_;

  // Touched by requests only.
  json::Value observed_;  // The lease as last seen.
  base::Instant observed_at_;
  base::Instant looked_at_;
  base::Instant runs_out_;  // When the current holder's lease expires without a renewal.

  mutable std::mutex mutex_;  // Guards all below.
  bool leading_ = false;
  base::Instant renewed_;
  std::string leader_;
  WriteFencePtr fence_;

  TaskScope scope_;
};

}  // namespace coppice::kube
