#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/allocator.h"

namespace coppice::engine {

// How many of a waiting gang's pods nodes could take, and how many GPUs are missing where. Works on
// an open statement and leaves the session as it was.
class RoomSearch {
 public:
  struct Missing {
    NodeId node = kNone;
    int64_t gpus = 0;
  };
  // GPUs that let the gang run, none of which can be left out, by node, all in one domain where one
  // is required. Of gangs of equal pods with whole GPUs, the fewest.
  struct Answer {
    std::string domain;  // Empty: the whole cluster.
    std::vector<Missing> missing;
    int64_t Total() const;
  };

  RoomSearch(Session& session, Allocator& allocator, Statement& statement, const Gang& gang);

  // Pods that fit on all nodes together by what is free now: with all rules, and by amounts alone.
  int64_t FreeSlots() const { return free_slots_; }
  int64_t SlotsByAmounts() const { return slots_by_amounts_; }

  // The smallest change, proved by trying it and one GPU less; nullopt where none is known.
  std::optional<Answer> Smallest();

  // Whether the gang cannot run even when all that runs now has gone. True is a proof: in every
  // domain that may be used, nodes hold fewer of the pods than must run together.
  bool NeverFits();
  // Whether some pod fits on no node, were it empty.
  bool PodFitsNowhere() const { return fits_nowhere_; }

 private:
  struct Domain {
    std::string id;
    std::vector<NodeId> nodes;
  };

  std::vector<Domain> Domains() const;
  int64_t CountOn(NodeId node, bool unlimited_gpus);
  std::optional<Answer> SmallestIn(const Domain& domain) const;
  std::optional<Answer> Found(const Domain& domain);
  bool PlaceSomewhere(TaskId task, const Domain& domain, std::vector<Missing>& added);
  std::vector<Missing> RoomOnOneNode(const Domain& domain);
  std::vector<Missing> Trimmed(std::vector<Missing> added);
  bool Runs(const std::vector<Missing>& added);
  bool Proved(const Answer& answer);
  bool BoundHolds(const std::vector<NodeId>& nodes) const;
  void EvictAll();

  Session& session_;
  Cluster& cluster_;
  Allocator& allocator_;
  Statement& statement_;
  const Gang& gang_;
  std::vector<TaskId> tasks_;
  int64_t each_ = 0;                 // GPUs per pod where all ask for the same; else 0.
  std::vector<int64_t> now_, most_;  // By node: pods that fit now, and with any number of GPUs.
  int64_t free_slots_ = 0;
  int64_t slots_by_amounts_ = 0;
  bool fits_nowhere_ = false;
};

}  // namespace coppice::engine
