#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "engine/model/devices.h"
#include "engine/model/extended_claim.h"
#include "engine/model/input.h"

// The decisions of a cycle.

namespace coppice::engine {

struct PodKey {
  std::string namespace_name;
  std::string name;
  std::string uid;
};

struct GroupKey {
  std::string namespace_name;
  std::string name;
};

// How a pod got its GPUs.
enum class ReceivedType { kRegular, kFraction, kMigInstance };
std::string_view ToString(ReceivedType type);

// What few pods get besides a node and GPUs. Kept separate, because a cycle may bind a million pods
// without any of it.
struct BindExtras {
  std::map<std::string, ClaimAllocation> claim_allocations;
  // The claim for extended resources: its allocation, its requests, and their containers.
  std::optional<ClaimAllocation> extended_claim_allocation;
  std::vector<DeviceRequestSpec> extended_claim_requests;
  std::vector<ContainerMapping> extended_claim_mappings;
  std::vector<NumaPlacement> numa_zones;
};

// Becomes a BindRequest (docs/behaviour/scheduler.md S-12).
struct BindDecision {
  PodKey pod;
  std::string node;
  std::vector<std::string> gpu_groups;
  ReceivedType received = ReceivedType::kRegular;
  int64_t gpu_count = 0;
  double gpu_portion = 0;
  std::string action;
  std::shared_ptr<const BindExtras> extras;  // Null: none.

  const BindExtras& Extras() const {
    static const BindExtras kNothing;
    return extras ? *extras : kNothing;
  }
};

struct EvictDecision {
  PodKey pod;
  GroupKey group;
  std::string node;
  std::string message;
  std::string action;
  int gang_size = 0;  // Number of pods evicted together.
  std::optional<GroupKey> preemptor;
};

// Not written to the API: the next cycle decides again.
struct PipelineDecision {
  PodKey pod;
  std::string node;
  std::vector<std::string> gpu_groups;
};

// One reason why a pod group waits. `message` is the text, `detail` its per-node form.
struct FitError {
  std::string reason;
  std::string message;
  std::string detail;
  // For OverLimit and NonPreemptibleOverQuota: the queue's amounts and the request.
  struct QueueDetails {
    std::string name;
    std::map<std::string, double> requested, deserved, allocated, allocated_non_preemptible, limits,
        group_requested, group_requested_non_preemptible;
  };
  std::optional<QueueDetails> queue;
};

struct PodMessage {
  PodKey pod;
  std::string message;
  std::string detail;
  bool unknown_sub_group = false;
};

// What to record about one pod group at the end of the cycle (docs/behaviour/scheduler.md S-14).
// Only groups with something to record are listed.
struct GroupStatus {
  GroupKey group;
  std::optional<base::Time> last_start;
  std::optional<base::Time> last_eviction;
  std::optional<base::Time> stale_since;
  bool stale = false;
  std::string stale_message;
  // Pending or gated pods exist.
  bool waiting = false;
  bool ready = true;
  std::string not_ready_message;
  // For the group, with the prefix for the back-off mode; short and detailed.
  std::string message;
  std::string detail;
  std::vector<FitError> errors;
  std::vector<PodMessage> pods;
  bool has_active = false;  // If true, the condition is left unchanged.
  bool clear_conditions = false;
};

// Sets of victims that a generator produced, and their outcomes.
struct ScenarioCounters {
  int64_t emitted = 0;
  int64_t simulated = 0;
  int64_t rejected = 0;  // The outcome was not allowed.
  int64_t duplicate = 0;
  // How long each took, by outcome; only with a stopwatch.
  std::vector<std::pair<std::string_view, base::Duration>> durations;
};

struct ActionCounters {
  int64_t groups_scheduled = 0;
  int64_t groups_acted_on = 0;
  int64_t scenarios_filtered = 0;
  std::map<std::string, ScenarioCounters> generators;  // By name.
  ScenarioCounters Scenarios() const;                  // Sum over all generators.
  bool budget_exhausted = false;                       // The action ran out of time.
  int64_t preemption_attempts = 0;
  int64_t victims = 0;  // Pods evicted for another job and not placed elsewhere.
  // Of those, pods that would still fit where they were, next to what was decided: the search adds
  // victims in steps and never removes any.
  int64_t victims_beyond_need = 0;
  std::map<std::string, int64_t> search_results;  // By result (S-57).
  // Searches with less than a job's full time.
  std::map<std::string, int64_t> reduced_search_results;
};

struct QueueShare {
  std::string queue;
  // cpu in millicores, memory in bytes, GPUs.
  double fair_share[3] = {0, 0, 0};
  double allocated[3] = {0, 0, 0};
  double requested[3] = {0, 0, 0};
  double usage[3] = {0, 0, 0};
};

// Invalid input, with the object that contains it.
struct InputProblem {
  std::string kind;
  std::string name;
  std::string message;
};

struct CycleResult {
  std::vector<BindDecision> binds;
  std::vector<EvictDecision> evictions;
  std::vector<PipelineDecision> pipelined;
  std::vector<GroupStatus> groups;
  std::vector<QueueShare> queues;
  std::map<std::string, ActionCounters> actions;
  // How long plugins took to open the cycle; empty without a stopwatch. Nothing is measured at
  // close.
  std::map<std::string, base::Duration> plugins_opened;
  std::vector<InputProblem> problems;
};

}  // namespace coppice::engine
