#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/gpus/rest_prices.h"
#include "engine/gpus/workload.h"
#include "engine/session/session.h"

namespace coppice::engine {

// The placement strategy `leastfragmentation` (docs/behaviour/engine.md S-80): how much room for
// the expected pods a pod takes away by running on a node, and on which of its GPUs.
//
// The value of a node is what it can host: for every expected shape, the number of such pods that
// its free GPUs, CPU and memory could hold if there were no other pods. Small shapes weigh more,
// because they fill the gaps that others leave. The cost of a pod is the value of the node without
// it minus the value with it. So pods that need much CPU go where GPUs are scarce and vice versa,
// and nodes of a model that some pods require are left to those pods.
//
// While more pods wait than fit, a share that leaves a gap which a waiting pod will fill opens a
// new GPU instead of filling a shared one. In the end all GPUs are full, and fewer of them hold
// shares that nothing else fits with.
//
// Lives for one cycle; not thread-safe. Memory: at most eight bytes per node.
class Fragmentation {
 public:
  Fragmentation(Session& session, const Workload& workload);

  // From time to time accounts for what was placed since the last call. Call before Loss.
  void Refresh();
  // Increases when Loss may have changed for tasks of this class on unchanged nodes.
  uint32_t Revision(TaskId task) const;

  // Less is better. The task must fit the node.
  double Loss(TaskId task, NodeId node) const { return Choose(task, node).loss; }
  struct Choice {
    double loss = 0;
    const GpuGroup* group = nullptr;
    bool fits = true;
  };
  // For a task that shares one GPU, also the group it takes; nullptr: a GPU that is still whole.
  Choice Choose(TaskId task, NodeId node) const;

 private:
  static constexpr int kWhole = RestPrices::kWhole;  // In hundredths of a GPU.
  static constexpr int kMostRests = 64;

  // The free resources of a node.
  struct Room {
    float cpu = 0;     // Cores.
    float memory = 0;  // GiB.
    int whole = 0;     // GPUs.
    int rests = 0;
    std::array<int, kMostRests> rest;  // Free hundredths of each shared GPU.
    uint64_t admits = 0;
  };
  // The number of GPUs, and the part of each in hundredths.
  struct Size {
    int part = 0;
    int devices = 0;
    friend bool operator==(const Size&, const Size&) = default;
  };
  // Expected pods as columns; pods of one size are adjacent.
  struct Columns {
    std::vector<float> per_core, cores_base, per_gib, gib_base;
    std::vector<double> weight;
    std::vector<uint64_t> rule;
  };
  struct OfSize {
    Size size;
    size_t end = 0;  // End index in the columns.
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
  int64_t device_mib_ = 100;  // Assumed GPU memory, for expected requests by memory.
  Columns expected_;
  std::vector<OfSize> sizes_;
  // By node: which rules admit pods there; empty if all nodes admit all pods.
  std::vector<uint64_t> admits_;
  std::vector<int32_t> rule_of_;  // By signature.
  double cores_per_gpu_ = 0;      // Requested by pods with whole GPUs.
  double cores_per_share_ = 0;    // The same for small shares, per GPU full of them.

  RestPrices::Counts waiting_{};  // By share of one GPU.
  RestPrices prices_;
  size_t priced_ = 0;  // Position in the session's touched tasks at the last pricing.
  uint32_t price_revision_ = 0;
  int64_t waiting_hundredths_ = 0;        // Of GPUs.
  std::array<bool, kWhole + 1> opens_{};  // By share: whether it opens a new GPU.
  std::array<uint32_t, kWhole + 1> revision_{};
  std::vector<bool> counted_;  // By task: no longer counted as waiting.
  size_t touched_ = 0;         // Position in the session's touched tasks.
  bool begun_ = false;
};

}  // namespace coppice::engine
