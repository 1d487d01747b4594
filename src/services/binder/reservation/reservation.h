#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/process/manager.h"
#include "services/binder/model/options.h"
#include "services/binder/model/plugin.h"

namespace coppice::services::binder {

// Of bind requests, by the GPU groups they list.
inline constexpr const char* kSelectedGroupIndex = "selected-gpu-group";

// Whether the API still has this request (by uid) and it was not given up: our cache may lag.
base::Result<bool> IsWanted(kube::Client& client, const json::Value& request);

// Reservation pods: one per shared GPU, kept as long as the GPU is in use. Every operation on a
// group holds that group's lock. Thread-safe.
class Reservation {
 public:
  Reservation(kube::Runtime runtime, const Options& options);

  // Reconciles every group (of one node): deletes unused reservations, and running pods whose
  // reservation is gone. A failure for one group is logged and does not affect the others.
  void SyncAll();
  void SyncNode(const std::string& node);
  base::Status SyncGroup(const std::string& group);

  // The id of the group's GPU on the node, once its reservation pod reports it.
  struct Gpu {
    Progress progress;
    std::string id;
  };
  base::Result<Gpu> Reserve(const BindContext& context, const std::string& group);
  // Rolls back the reservation of a failed request. The GPU will be given to another pod, so the
  // reservation must be deleted even if the cache does not show it yet.
  base::Status GiveBack(const json::Value& request, const std::string& group);

 private:
  class GroupLock;
  struct Members {
    std::vector<json::Value> reservations;
    std::vector<json::Value> consumers;  // Bound, pending or running.
  };

  void SyncGroupsOf(const std::vector<json::Value>& pods);
  Members Sort(const std::vector<json::Value>& pods) const;
  Members CachedMembers(const std::string& group) const;
  // From the API itself: the cache must not decide a deletion.
  base::Result<Members> LiveMembers(const std::string& group) const;
  // From the cache, which may lag behind the API.
  bool IsKnownToBeBound(const std::string& group, std::string_view but = "") const;
  // By another request than the one with this uid.
  base::Result<bool> IsBeingBound(const std::string& group, std::string_view but = "") const;
  base::Status SyncLocked(const std::string& group);
  base::Status DeleteRunning(const std::vector<json::Value>& consumers);
  base::Status DeleteReservation(const json::Value& pod);
  base::Status DeleteReservations(const std::vector<json::Value>& pods);
  base::Result<json::Value> FindOrCreate(const BindContext& context, const std::string& group);
  // A scaling pod waits for a node.
  bool IsScalingUp() const;
  base::Status LabelConsumer(const BindContext& context, const std::string& group);

  kube::Runtime runtime_;
  const Options& options_;
  kube::Informer& pods_;
  kube::Informer& requests_;
  std::mutex mutex_;  // Guards locks_.
  std::map<std::string, std::weak_ptr<std::mutex>> locks_;
};

}  // namespace coppice::services::binder
