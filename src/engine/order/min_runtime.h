#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/session/session.h"

namespace coppice::engine {

// The minruntime plugin: jobs that started recently are protected from eviction
// (docs/behaviour/engine.md S-92).
class MinRuntime {
 public:
  explicit MinRuntime(const Session& session) : session_(session) {}

  bool MayPreempt(const Gang& victim) const;
  // How long jobs of the victim queue are protected from the reclaimer; nullopt: never.
  std::optional<base::Duration> AgainstReclaim(QueueId reclaimer, QueueId victim) const;
  bool MayReclaim(base::Duration runtime, const Gang& victim) const {
    return !Protected(victim.job(), runtime) || victim.Elastic();
  }
  // Until when the asker's queue may not evict the victim although it otherwise could; nullopt if
  // there is no such protection.
  std::optional<base::Time> ProtectedUntil(const Job& asker, const Gang& victim) const;
  // After the eviction: protected elastic victims keep their minimum.
  bool PreemptKeepsMinimum(const std::vector<TaskId>& victims) const;
  bool ReclaimKeepsMinimum(QueueId reclaimer, const std::vector<TaskId>& victims) const;

 private:
  bool Protected(const Job& job, base::Duration runtime) const {
    return job.last_start && session_.now < *job.last_start + runtime;
  }
  base::Duration PreemptRuntime(QueueId victim) const;
  base::Duration ReclaimRuntime(QueueId reclaimer, QueueId victim) const;
  base::Duration FindReclaimRuntime(QueueId reclaimer, QueueId victim) const;
  template <typename Runtime>
  bool KeepsMinimum(const std::vector<TaskId>& victims, Runtime runtime) const;

  const Session& session_;
  mutable std::map<std::pair<QueueId, QueueId>, base::Duration> reclaim_runtimes_;  // A cache.
};

}  // namespace coppice::engine
