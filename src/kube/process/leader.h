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
// clock, from the last look before the one that showed it renewed, so that it takes over within the
// duration of the leader's last renewal. The leader stops counting itself as one when it could
// not renew for `renew_deadline`, which is shorter than the duration
// less one retry period, so that nobody else leads
// before it has stopped. Leadership is counted from before the renewing request was sent.
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
  // Called on the executor, in turn. After on_stopped the elector stands for election again.
  struct Callbacks {
    std::function<void()> on_started;
    std::function<void()> on_stopped;
  };

  LeaderElector(Client& client, Executor& executor, Options options, Callbacks callbacks);
  ~LeaderElector();

  void Start();
  // Gives the lease back where it is held, so that another takes over at once. Stop what writes
  // first. Calls no callback.
  void Stop();
  // True while this process is sure to be the only leader. False as soon as the time is up, even
  // while the renewing request still hangs.
  bool IsLeader() const;
  // For writes of a leader: see FencedClient. Null when this process does not lead. Its `holds` may
  // be called as long as this lives.
  WriteFencePtr Fence() const;
  // Who leads, as last seen; "" when nobody.
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
  base::Instant runs_out_;  // When the lease of another does, if nobody renews it.

  mutable std::mutex mutex_;  // Guards all below.
  bool leading_ = false;
  base::Instant renewed_;
  std::string leader_;
  WriteFencePtr fence_;

  TaskScope scope_;
};

}  // namespace coppice::kube
