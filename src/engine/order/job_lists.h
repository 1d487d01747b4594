#pragma once

#include <cstdint>
#include <vector>

#include "engine/order/job_rank.h"
#include "engine/session/session.h"

namespace coppice::engine {

// A job with its sort key and what it would take or free.
struct ListedJob {
  JobId job = kNone;
  JobRank key;
  Quantities request;  // For what it would allocate next.
  Sums allocated;
};

// The waiting jobs and the evictable jobs of every queue, sorted. Kept across the searches of a
// cycle: only jobs whose pods changed are updated.
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

  std::vector<uint32_t> seen_;  // By job: the version last seen.
  size_t moves_ = 0;            // Position in the log of jobs whose tasks changed.
  Lists pending_, active_;
};

}  // namespace coppice::engine
