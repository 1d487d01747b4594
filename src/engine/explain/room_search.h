#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/explain/trial.h"

namespace coppice::engine {

// How many pods of a waiting gang the nodes could hold, and how much is missing where. Ignores the
// rules that the trial's allocator ignores. Leaves the session unchanged.
class RoomSearch {
 public:
  // A minimal change that lets the gang run, by node; all in one domain if a topology is required.
  // For gangs of equal pods with whole GPUs, the fewest GPUs.
  struct Answer {
    std::string domain;  // Empty: the whole cluster.
    std::vector<Missing> missing;
  };
  // Whether capacity may only come from what other pods hold on the nodes, or nodes may grow.
  enum class Source { kOthers, kHardware };

  // The allocator must assume larger nodes as long as this object lives.
  explicit RoomSearch(Trial& trial);
  RoomSearch(const RoomSearch&) = delete;

  // The number of pods that fit on all nodes together with what is free now.
  int64_t FreeSlots() const { return free_slots_; }
  // The same if all other pods were gone, if the pods are alike; otherwise 0.
  int64_t EmptySlots() const;
  bool alike() const { return alike_; }

  // The smallest change, verified by trying it and one unit less; nullopt if none is known.
  std::optional<Answer> Smallest(Source source);

  // Whether the gang cannot run even if all others are gone. True is proven: in every usable
  // domain, the nodes hold fewer pods than must run together.
  bool NeverFits() const { return never_; }
  // The evidence if a topology is required: the domain that comes closest.
  struct Nearest {
    std::string domain;
    int64_t gpus = 0;  // In thousandths.
    int64_t pods = 0;  // Of the pods that must run together; 0 if they are not alike.
  };
  const std::optional<Nearest>& NearestDomain() const { return nearest_; }
  // How much of the resource others hold on the node, in units; excludes the gang itself.
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
  bool alike_ = false;  // All pods request the same.
  int64_t each_ = 0;    // If so, GPUs per pod if whole; else 0.
  // By node: pods that fit now, with unlimited GPUs, and if all others are gone.
  std::vector<int64_t> now_, most_, empty_;
  std::vector<std::vector<int64_t>> others_;  // By node and resource: what others hold.
  int64_t free_slots_ = 0;
  bool never_ = false;
  bool fits_nowhere_ = false;
  std::optional<Nearest> nearest_;
};

}  // namespace coppice::engine
