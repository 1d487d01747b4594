#pragma once

#include <memory>
#include <vector>

#include "engine/model/input.h"
#include "engine/state/values/names.h"
#include "engine/state/values/node_labels.h"
#include "engine/state/values/owned.h"
#include "engine/state/values/rare_list.h"

namespace coppice::engine {

// A GPU that pods share, in MiB of its memory (docs/behaviour/engine.md S-23).
struct GpuGroup {
  NameId id = 0;
  int64_t used = 0;
  int64_t allocated = 0;
  int64_t releasing = 0;
  bool marked = false;  // The whole device counts as releasing.
  bool fresh = false;   // Became shared in this cycle.
};

enum class MigStrategy : uint8_t { kNone, kSingle, kMixed };

// Pods on the node that matter for the affinity of others, by class and labels.
struct AffinityPresence {
  ClassId cls = kNone;
  int32_t labels = kNone;
  int32_t count = 0;
};

struct PortUse {
  HostPort port;
  int32_t count = 0;
};

// NUMA state of a node; amounts by zone and resource index.
struct NodeNuma {
  NumaPolicy policy = NumaPolicy::kNone;
  NumaScope scope = NumaScope::kContainer;
  std::vector<NameId> zone_names;
  std::vector<std::vector<int64_t>> allocatable;
  std::vector<std::vector<int64_t>> available;
  std::vector<NameId> reported;  // By resource index: its name, if some zone reports it.

  NameId NameOf(int resource) const {
    return resource < static_cast<int>(reported.size()) ? reported[resource] : 0;
  }
};

// A node without its amounts, which are stored in columns (NodeAmounts). `exists` is false while
// pods name a node that the engine has not been given. Kept small: there may be a hundred thousand.
struct Node {
  NameId name = 0;
  int32_t not_ready = 0;  // Why pods may not be placed here (NameLists).
  int32_t rank = 0;       // Rank of the name among nodes.
  int32_t offers = 0;     // Resources that the node itself offers (NameLists).
  int32_t legacy_mig_tasks = 0;
  bool exists = false;
  bool ready = false;
  bool mig = false;
  bool cpu_only = false;
  bool has_dra_gpus = false;
  bool memory_synced = false;
  bool cpu_worker = false;
  bool gpu_worker = false;
  MigStrategy mig_strategy = MigStrategy::kNone;
  int64_t gpu_memory = 100;  // MiB per device.
  int64_t gpu_count = 0;     // Devices.
  int64_t dra_gpus = 0;      // Devices in resource slices of this node.
  NodeLabels labels;
  RareList<Taint> taints;
  RareList<GpuGroup> groups;
  RareList<AffinityPresence> presence;
  RareList<PortUse> ports;
  RareList<std::pair<NameId, int32_t>> devices;  // Claimed GPU devices, with their number of users.
  Owned<NodeNuma> numa;
};

}  // namespace coppice::engine
