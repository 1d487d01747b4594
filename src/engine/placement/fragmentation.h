#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/framework/session.h"
#include "engine/placement/rest_prices.h"
#include "engine/placement/workload.h"

namespace coppice::engine {

// The placement strategy `leastfragmentation` (docs/behaviour/engine.md S-80): how much room for
// the pods that are expected a pod takes away by being on a node, and on which of its GPUs.
//
// A node is worth what it can host: for every expected shape the number of such pods that its GPUs,
// CPU and memory have room for, were there no others; small shapes count for more, as they are what
// fills the rests that others leave. What a pod costs is the worth of the node without it less that
// with it. So pods with much CPU go where GPUs are short, and the other way round, and nodes of a
// model that some pods insist on are left to them.
//
// While more waits than fits, shares that leave a rest which a waiting pod will fill rather begin a
// GPU than end one: all GPUs end up full, and fewer of them with shares that fit with nothing.
//
// One cycle long; not thread-safe. Memory: eight bytes per node at most.
class Fragmentation {
 public:
  Fragmentation(Session& session, const Workload& workload);

  // Looks at what was placed since the last time, now and then. Before Loss.
  void Refresh();
  // Grows when what Loss says about tasks of this class may have changed on nodes that have not.
  uint32_t Revision(TaskId task) const;

  // Less is better. The task fits the node.
  double Loss(TaskId task, NodeId node) const { return Choose(task, node).loss; }
  struct Choice {
    double loss = 0;
    const GpuGroup* group = nullptr;
    bool fits = true;
  };
  // For a task that shares one GPU the group that it takes, too; nullptr: one that is whole as yet.
  Choice Choose(TaskId task, NodeId node) const;

 private:
  static constexpr int kWhole = RestPrices::kWhole;  // Hundredths of a GPU.
  static constexpr int kMostRests = 64;

  // What is free on a node.
  struct Room {
    float cpu = 0;     // Cores.
    float memory = 0;  // GiB.
    int whole = 0;     // GPUs.
    int rests = 0;
    std::array<int, kMostRests> rest;  // Hundredths, of GPUs that are shared.
    uint64_t admits = 0;
  };
  // How many GPUs, and how much of each, in hundredths.
  struct Size {
    int part = 0;
    int devices = 0;
    friend bool operator==(const Size&, const Size&) = default;
  };
  // Expected pods, in columns; those of one size are next to each other.
  struct Columns {
    std::vector<float> per_core, cores_base, per_gib, gib_base;
    std::vector<double> weight;
    std::vector<uint64_t> rule;
  };
  struct OfSize {
    Size size;
    size_t end = 0;  // In the columns.
  };

  void ReadExpected(const std::vector<Workload::Expected>& expected);
  void AddShape(const PodClass& cls, double weight, uint64_t rule);
  void ReadRules(const std::vector<Workload::Expected>& expected);
  void ReadWaiting();
  RestPrices::Counts CountRests() const;
  void MarkOpening(RestPrices::Counts rests);

  Size SizeOf(const PodClass& cls, int64_t device_mib) const;
  int Slots(const Room& room, Size size) const;
  Room RoomOf(NodeId node) const;
  double Worth(const Room& room) const;
  Choice ChooseShared(TaskId task, NodeId node, Size size, const Room& before, Room& after) const;
  const GpuGroup* GroupWith(TaskId task, NodeId node, int rest) const;
  static void Take(Room& room, Size size);
  bool RichInCpu(const Room& room) const;
  double Tie(NodeId node) const;

  Session& session_;
  Cluster& cluster_;
  int64_t device_mib_ = 100;  // Of the GPUs that expected requests by memory are seen on.
  Columns expected_;
  std::vector<OfSize> sizes_;
  std::vector<uint64_t> admits_;  // By node, empty where all admit all: which rules let pods in.
  std::vector<int32_t> rule_of_;  // By signature.
  double cores_per_gpu_ = 0;      // That pods of whole GPUs ask for.
  double cores_per_share_ = 0;    // The same for small shares, for a GPU full of them.

  RestPrices::Counts waiting_{};  // By share of one GPU.
  RestPrices prices_;
  size_t priced_ = 0;  // Position in what the session had touched.
  uint32_t price_revision_ = 0;
  int64_t waiting_hundredths_ = 0;        // Of GPUs.
  std::array<bool, kWhole + 1> opens_{};  // By share: whether it rather begins a GPU.
  std::array<uint32_t, kWhole + 1> revision_{};
  std::vector<bool> counted_;  // By task: no longer among those that wait.
  size_t touched_ = 0;         // Position in what the session has touched.
  bool begun_ = false;
};

}  // namespace coppice::engine
