#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/input.h"
#include "engine/state/jobs/status.h"
#include "engine/state/values/fit_errors.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// A constraint with its level names resolved to node labels; `topology` 0 means none.
struct Constraint {
  NameId topology = 0;
  NameId required = 0;
  NameId preferred = 0;
  bool any() const { return topology != 0; }
};

// A leaf of the sub-group tree: pods of which `min` must run together.
struct PodSet {
  NameId name = 0;
  int32_t min = 0;
  int32_t parent = 0;  // Index of its set.
  Constraint constraint;
  std::vector<TaskId> tasks;  // In task order.
  StatusCounts counts;
};

// An inner node of the sub-group tree; the root is set 0.
struct SubGroupSet {
  struct Member {
    bool is_set = false;
    int32_t index = 0;
  };
  NameId name = 0;
  int32_t parent = kNone;
  std::optional<int32_t> min;  // Absent: all members.
  Constraint constraint;
  std::vector<Member> members;

  int Threshold() const { return min ? *min : static_cast<int>(members.size()); }
};

// What cycles decide and report about a job.
struct JobRecord {
  bool stale = false;
  bool report = true;  // Something changed since it was last reported.
  bool delay_reported = false;
  bool held = false;  // It leaves capacity to a gang of its set in this cycle.
  std::optional<base::Time> last_start;
  std::optional<base::Time> last_eviction;
  std::optional<base::Time> stale_since;
  JobErrors errors;  // Of this cycle.
};

// A pod group. `exists` is false while pods name a group that the engine has not been given.
struct Job : JobRecord {
  NameId namespace_name = 0;
  NameId name = 0;
  NameId uid = 0;
  NameId set = 0;  // Equal for jobs of one set; 0: none.
  bool exists = false;
  bool tree_changed = true;   // Sets and pod sets are out of date.
  bool tasks_changed = true;  // Membership, order or statuses are out of date.
  bool preemptible = true;
  QueueId queue = kNone;
  int64_t priority = 50;
  base::Time creation{};
  int32_t id_rank = 0;  // Rank of the name among all jobs.
  std::unique_ptr<const PodGroupSpec> spec;

  std::vector<TaskId> tasks;    // All pods that name the group.
  std::vector<TaskId> unknown;  // Pods that name a sub-group which does not exist.
  std::vector<SubGroupSet> sets;
  std::vector<PodSet> pod_sets;
};

}  // namespace coppice::engine
