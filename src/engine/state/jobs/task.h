#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/input.h"
#include "engine/state/values/fit_errors.h"
#include "engine/state/values/names.h"
#include "engine/state/values/owned.h"
#include "engine/state/values/resources.h"

namespace coppice::engine {

// Amounts taken from one NUMA zone.
struct ZoneAmount {
  int32_t zone = 0;
  std::vector<int64_t> amounts;
  friend bool operator==(const ZoneAmount&, const ZoneAmount&) = default;
};

// State that few pods have.
struct TaskExtras {
  std::vector<PodClaimRef> claims;
  std::map<std::string, ClaimAllocation> claim_allocations;
  std::optional<ClaimAllocation> extended_claim;
  std::vector<NumaPlacement> given_zones;
  std::vector<ZoneAmount> zones;
  std::vector<int32_t> claim_ids;  // Resolved at the start of a cycle; kNone if missing.
  std::vector<NameId> devices;     // GPU devices of its claims.
  std::optional<base::Time> deletion;
  std::string nominated_node;
  std::optional<TaskErrors> errors;
};

struct Task {
  NameId uid = 0;
  NameId name = 0;
  ClassId cls = kNone;
  int32_t labels = 0;
  JobId job = kNone;
  int32_t pod_set = kNone;
  NodeId node = kNone;
  NodeId home = kNone;           // The node whose pod list it is in; trials do not change it.
  int32_t groups = 0;            // The shared GPUs it holds (NameLists).
  int32_t other_places = kNone;  // Where else it is charged in this cycle (TaskTable::places).
  TaskId next_on_node = kNone;
  TaskId previous_on_node = kNone;
  NameId sub_group = 0;
  int64_t creation = 0;
  int32_t priority = 0;
  TaskStatus status = TaskStatus::kPending;
  bool exists = false;
  bool is_virtual = false;  // Placed or evicted by this cycle.
  bool is_planned = false;  // Its place is only planned: it is waiting, or was when it was evicted.
  bool has_priority = false;
  bool bad_priority = false;
  bool kubeflow_leader = false;
  bool ray_leader = false;
  bool legacy_mig = false;
  Owned<TaskExtras> extras;
};

// Another node (or other GPUs of the same node) that still carries a charge for a task that this
// cycle moved.
struct OtherPlace {
  NodeId node = kNone;
  bool planned = false;
  int32_t groups = 0;
  int32_t next = kNone;
};

}  // namespace coppice::engine
