#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "kube/client.h"
#include "kube/intercepted_client.h"
#include "kube/metrics.h"
#include "kube/strand.h"
#include "kube/task_scope.h"

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
  // Who leads, as last seen; "" when nobody.
  std::string Leader() const;

 private:
  void Campaign();
  // True when the lease is ours now.
  bool TryToHold();
  base::Result<bool> Acquire(const json::Value& lease, base::Time now);
  base::Result<bool> CreateLease(base::Time now);
  void Observe(const json::Value& lease, base::Time now);
  json::Value Spec(const json::Value& previous, base::Time now) const;
  void Held(base::Time since);
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
  base::Time observed_at_;
  base::Time looked_at_;
  base::Time runs_out_;  // When the lease of another does, if nobody renews it.

  mutable std::mutex mutex_;  // Guards all below.
  bool leading_ = false;
  base::Time renewed_;
  std::string leader_;

  TaskScope scope_;
};

// Refuses writes unless this process is the leader. What it lets through just before the deadline
// has the rest of the lease's duration to arrive. `elector` must outlive this.
class FencedClient final : public InterceptedClient {
 public:
  FencedClient(Client& inner, const LeaderElector& elector)
      : InterceptedClient(inner), elector_(elector) {}

 protected:
  base::Status Before(const Call& call) override {
    if (!call.writes() || call.dry_run || elector_.IsLeader()) return {};
    return base::Cancelled("not the leader: " + call.What() + " is not written");
  }

 private:
  const LeaderElector& elector_;
};

}  // namespace coppice::kube
