#pragma once

#include <vector>

#include "engine/explain/explain.h"
#include "engine/framework/session.h"
#include "engine/placement/gang.h"

namespace coppice::engine {

// What every queue of a gang's path lacks, limits and quotas; while it lives, queues are as if they
// had it.
class RaisedQueues {
 public:
  RaisedQueues(Session& session, const Gang& gang, const std::vector<TaskId>& tasks);
  ~RaisedQueues();
  RaisedQueues(const RaisedQueues&) = delete;

  bool any() const { return !raised_.empty(); }
  std::vector<Explanation::Change> Changes() const;
  // What does as well where only quotas bound it: work that can be preempted may exceed them.
  std::vector<Explanation::Change> Alternative() const;
  // Makes the queue the dominant reason, with its numbers. What others of the queue hold ends by
  // itself; a bound that is too low for the gang alone does not.
  void Explain(Explanation& out) const;

 private:
  struct Raised {
    bool limit = false;  // Else the quota.
    std::string queue;
    int resource = 0;
    double bound = 0, used = 0, requested = 0;
  };
  struct Saved {
    QueueId id;
    Quantities limit, deserved;
  };

  void Raise(bool limit, QueueId queue, const Sums& allocated, Quantities& bound,
             const Quantities& request);

  Cluster& cluster_;
  std::vector<Raised> raised_;
  std::vector<Saved> saved_;
};

// "; queue b is over its quota of 4 GPUs, so that it cannot reclaim any": where that is so.
std::string OverQuotaText(const Session& session, const Gang& gang,
                          const std::vector<TaskId>& tasks);

}  // namespace coppice::engine
