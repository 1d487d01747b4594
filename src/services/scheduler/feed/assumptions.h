#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "api/resource.h"
#include "base/clock.h"
#include "engine/model/compatibility.h"
#include "engine/model/input.h"
#include "engine/model/result.h"

namespace coppice::services::scheduler {

// What this scheduler has decided and the cache does not show yet. Without it, an old copy of an
// object that arrives late would undo a decision in the engine. Thread-safe.
class Assumptions {
 public:
  void AssumeBound(const engine::BindDecision& decision);
  // The request is in the cache now, or was refused.
  void ForgetBound(const api::ObjectKey& pod);
  std::optional<engine::BindRequestSpec> Bound(const api::ObjectKey& pod,
                                               std::string_view uid) const;

  // The devices allocated to the pod's claims by its last bind decision: the cache of claims may
  // lag behind that of pods.
  struct Devices {
    std::map<std::string, engine::ClaimAllocation> claims;  // By their names in the pod.
    std::optional<engine::ClaimAllocation> extended;
  };
  Devices Allocated(const std::string& pod_uid) const;
  // The cache of claims shows it now, or the pod is gone.
  void ForgetAllocated(const std::string& pod_uid);
  void ForgetPod(const std::string& pod_uid);

  void AssumeEvicted(const std::string& pod_uid, base::Time now);
  void ForgetEvicted(const std::string& pod_uid);
  std::optional<base::Time> Evicted(const std::string& pod_uid) const;

  // Only the scheduler writes a group's timestamps, so its own record is authoritative.
  void Record(const engine::GroupStatus& status);
  void ForgetGroup(const api::ObjectKey& group);
  void Overlay(engine::PodGroupSpec& group, const engine::Compatibility& compatibility) const;

 private:
  struct Bind {
    std::string uid;
    engine::BindRequestSpec request;
  };
  struct Times {
    std::optional<base::Time> last_start, last_eviction, stale_since;
  };

  mutable std::mutex mutex_;  // Guards all below.
  std::map<api::ObjectKey, Bind> binds_;
  std::map<std::string, Devices> allocations_;  // By pod uid.
  std::map<std::string, base::Time> evictions_;
  std::map<api::ObjectKey, Times> groups_;
};

}  // namespace coppice::services::scheduler
