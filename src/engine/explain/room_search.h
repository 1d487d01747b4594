#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/explain/trial.h"

namespace coppice::engine {

// How many of a waiting gang's pods nodes could take, and how much is missing where. Rules that the
// trial's allocator ignores are ignored here. Leaves the session as it was.
class RoomSearch {
 public:
  // What lets the gang run, none of which can be left out, by node, all in one domain where one is
  // required. Of gangs of equal pods with whole GPUs, the fewest GPUs.
  struct Answer {
    std::string domain;  // Empty: the whole cluster.
    std::vector<Missing> missing;
  };
  // Whether nodes may only give what others hold there, or may grow.
  enum class Source { kOthers, kHardware };

  // The allocator must suppose larger nodes as long as this lives.
  explicit RoomSearch(Trial& trial);
  RoomSearch(const RoomSearch&) = delete;

  // Pods that fit on all nodes together by what is free now.
  int64_t FreeSlots() const { return free_slots_; }
  // The same were all others gone, where pods are alike; else 0.
  int64_t EmptySlots() const;
  bool alike() const { return alike_; }

  // The smallest change, proved by trying it and one unit less; nullopt where none is known.
  std::optional<Answer> Smallest(Source source);

  // Whether the gang cannot run even when all others have gone. True is a proof: in every domain
  // that may be used, nodes hold fewer of the pods than must run together.
  bool NeverFits() const { return never_; }
  // What it was proved by where a topology is required: the domain that comes nearest.
  struct Nearest {
    std::string domain;
    int64_t gpus = 0;  // In thousandths.
    int64_t pods = 0;  // Of those that must run together; 0 where they are not alike.
  };
  const std::optional<Nearest>& NearestDomain() const { return nearest_; }
  // How much of it others hold on the node, in units; what the gang itself holds is not counted.
  int64_t HeldByOthers(NodeId node, int resource) const;

 private:
  struct Domain {
    std::string id;
    std::vector<NodeId> nodes;
  };

  std::vector<Domain> Domains() const;
  int64_t CountOn(NodeId node, bool unlimited_gpus);
  void MeasureOthers();
  void FindNever();
  std::optional<Answer> FewestGpus(const Domain& domain, Source source) const;
  std::optional<Answer> Found(const Domain& domain, Source source, bool largest_first);
  std::vector<Missing> LackingOn(TaskId task, NodeId node) const;
  double CostOf(const std::vector<Missing>& missing) const;
  bool PlaceSomewhere(TaskId task, const Domain& domain, Source source,
                      std::vector<Missing>& added);
  bool CanGive(const std::vector<Missing>& missing, Source source) const;
  std::vector<Missing> RoomOnOneNode(const Domain& domain, Source source);
  std::vector<Missing> Trimmed(const std::vector<Missing>& added);
  bool Shrink(std::vector<Missing>& missing, size_t part);
  bool Proved(const Answer& answer);
  bool BoundHolds(const std::vector<NodeId>& nodes) const;
  void FindNearest(const std::vector<Domain>& domains);

  Trial& trial_;
  Session& session_;
  Cluster& cluster_;
  const Gang& gang_;
  const std::vector<TaskId>& tasks_;
  bool alike_ = false;  // All pods ask for the same.
  int64_t each_ = 0;    // Then GPUs per pod, if whole; else 0.
  // By node: pods that fit now, with any number of GPUs, and when all others have gone.
  std::vector<int64_t> now_, most_, empty_;
  std::vector<std::vector<int64_t>> others_;  // By node and resource: what others hold.
  int64_t free_slots_ = 0;
  bool never_ = false;
  bool fits_nowhere_ = false;
  std::optional<Nearest> nearest_;
};

}  // namespace coppice::engine
