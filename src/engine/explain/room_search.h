#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/placement/allocator.h"

namespace coppice::engine {

// How many of a waiting gang's pods nodes could take, and how much is missing where. Works on an
// open statement and leaves the session as it was.
class RoomSearch {
 public:
  struct Missing {
    NodeId node = kNone;
    int64_t units = 0;  // Of UnitOf the resource.
    int resource = kGpu;
  };
  // What lets the gang run, none of which can be left out, by node, all in one domain where one is
  // required. Of gangs of equal pods with whole GPUs, the fewest GPUs.
  struct Answer {
    std::string domain;  // Empty: the whole cluster.
    std::vector<Missing> missing;
    PlacementRules dropped;  // Rules without which it runs, none of which may stay.
  };
  // A GPU, a millicore, a million bytes, one of anything else.
  static int64_t UnitOf(int resource);

  RoomSearch(Session& session, Allocator& allocator, Statement& statement, const Gang& gang);
  ~RoomSearch();
  RoomSearch(const RoomSearch&) = delete;

  // Pods that fit on all nodes together by what is free now: with all rules, and by amounts alone.
  int64_t FreeSlots() const { return free_slots_; }
  int64_t SlotsByAmounts() const { return slots_by_amounts_; }

  // The smallest change, proved by trying it and one unit less; nullopt where none is known. Rules
  // are dropped only where no room helps.
  std::optional<Answer> Smallest();

  // Whether the gang cannot run even when all that runs now has gone. True is a proof: in every
  // domain that may be used, nodes hold fewer of the pods than must run together.
  bool NeverFits();
  // What it was proved by where a topology is required: the domain that comes nearest.
  struct Nearest {
    std::string domain;
    int64_t gpus = 0;  // In thousandths.
    int64_t pods = 0;  // Of those that must run together; 0 where they are not alike.
  };
  const std::optional<Nearest>& NearestDomain() const { return nearest_; }
  // Whether some pod fits on no node, were it empty.
  bool PodFitsNowhere() const { return fits_nowhere_; }

 private:
  struct Domain {
    std::string id;
    std::vector<NodeId> nodes;
  };

  std::vector<Domain> Domains() const;
  int64_t CountOn(NodeId node, bool unlimited_gpus);
  std::optional<Answer> MoreRoom();
  std::optional<Answer> FewestGpus(const Domain& domain) const;
  std::optional<Answer> Found(const Domain& domain);
  std::vector<Missing> LackingOn(TaskId task, NodeId node) const;
  double CostOf(const std::vector<Missing>& missing) const;
  bool PlaceSomewhere(TaskId task, const Domain& domain, std::vector<Missing>& added);
  std::vector<Missing> RoomOnOneNode(const Domain& domain);
  std::vector<Missing> Trimmed(const std::vector<Missing>& added);
  bool Shrink(std::vector<Missing>& missing, size_t part);
  void Add(const std::vector<Missing>& missing);
  bool Runs(const std::vector<Missing>& added);
  bool Proved(const Answer& answer);
  PlacementRules InTheWay(const std::vector<Missing>& added);
  bool BoundHolds(const std::vector<NodeId>& nodes) const;
  void FindNearest(const std::vector<Domain>& domains);
  void EvictAll();

  Session& session_;
  Cluster& cluster_;
  Allocator& allocator_;
  Statement& statement_;
  const Gang& gang_;
  std::vector<TaskId> tasks_;
  bool alike_ = false;               // All pods ask for the same.
  int64_t each_ = 0;                 // Then GPUs per pod, if whole; else 0.
  std::vector<int64_t> now_, most_;  // By node: pods that fit now, and with any number of GPUs.
  int64_t free_slots_ = 0;
  int64_t slots_by_amounts_ = 0;
  bool fits_nowhere_ = false;
  std::optional<Nearest> nearest_;
};

}  // namespace coppice::engine
