#pragma once

#include <cstdint>
#include <vector>

#include "engine/actions/job_rank.h"
#include "engine/framework/session.h"

namespace coppice::engine {

// A job with what orders it and what it would take or give.
struct ListedJob {
  JobId job = kNone;
  JobRank key;
  Quantities request;  // Of what it would allocate next.
  Sums allocated;
};

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
