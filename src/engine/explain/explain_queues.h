#pragma once

#include <vector>

#include "engine/model/explanation.h"
#include "engine/session/gang.h"
#include "engine/session/session.h"

namespace coppice::engine {

// What each queue on a gang's path lacks, in limits and quotas. While this object lives, the queues
// behave as if they had it.
class RaisedQueues {
 public:
  RaisedQueues(Session& session, const Gang& gang, const std::vector<TaskId>& tasks);
  ~RaisedQueues();
  RaisedQueues(const RaisedQueues&) = delete;

  bool any() const { return !raised_.empty(); }
  std::vector<Explanation::Change> Changes() const;
  // The alternative if only quotas are exceeded: preemptible work may exceed them.
  std::vector<Explanation::Change> Alternative() const;
  // Makes the queue the main reason, with its numbers. Usage by others in the queue ends without
  // intervention; a bound that is too low for the gang alone does not.
  void Explain(Explanation& out) const;

 private:
  struct Raised {
    bool limit = false;  // Otherwise the quota.
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

// "; queue b is over its quota of 4 GPUs, so that it cannot reclaim any", if applicable.
std::string OverQuotaText(const Session& session, const Gang& gang,
                          const std::vector<TaskId>& tasks);

}  // namespace coppice::engine
