#pragma once

#include <cstdint>
#include <vector>

#include "engine/placement/gang.h"
#include "engine/session.h"

namespace coppice::engine {

// What orders jobs within a queue.
struct JobRank {
  int64_t priority = 0;
  base::Time creation{};
  int32_t rank = 0;
  int32_t state = 0;  // How far its gang is (GangState).
};

// A job with what orders it and what it would take or give.
struct ListedJob {
  JobId job = kNone;
  JobRank key;
  Quantities request;  // Of what it would allocate next.
  Sums allocated;
};

// 0: some pod set below its minimum, 1: all exactly there, 2: some above.
int GangState(const Gang& gang);
JobRank KeyOf(const Gang& gang);
// Whether `l` is served before `r` within one queue (docs/behaviour/engine.md S-79).
bool InOrder(const Plugins& plugins, const JobRank& l, const JobRank& r);

// The jobs of every queue that wait and those that could be evicted, in order, kept over the
// searches of a cycle: only jobs whose pods have changed are looked at again.
class JobLists {
 public:
  using Lists = std::vector<std::vector<ListedJob>>;  // By queue.

  void Refresh(const Session& session);
  const Lists& pending() const { return pending_; }
  const Lists& active() const { return active_; }

 private:
  static ListedJob Describe(const Session& session, JobId job, bool& pending, bool& active);
  void Update(const Session& session, JobId job);
  void Rebuild(const Session& session);
  static bool Takes(const Cluster& cluster, JobId job);

  std::vector<uint32_t> seen_;  // By job: the version.
  size_t moves_ = 0;            // Position in the log of jobs whose tasks changed.
  Lists pending_, active_;
};

}  // namespace coppice::engine
