#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "kube/process/manager.h"

namespace coppice::services::nodes {

// The name of the index of pods by node, which NodeMonitor needs.
inline constexpr std::string_view kPodsOfNode = "pods-of-node";

// Follows the heartbeats of kubelets: their Leases and the Ready conditions.
//
// What counts is when this process saw a heartbeat change, so the clocks of nodes may differ. A
// restart gives every node the whole grace period again.
class NodeMonitor final : public kube::Reconciler {
 public:
  explicit NodeMonitor(kube::Runtime runtime);

  base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override;

 private:
  struct Heartbeat {
    std::string renewed;   // The Lease.
    std::string reported;  // The Ready condition.
    base::Time seen{};
  };

  // Absent if the node has no Lease.
  base::Result<std::optional<base::Time>> LastHeartbeat(const json::Value& node);
  base::Status MarkSilent(const json::Value& node);
  base::Status MarkPodsUnready(std::string_view node);
  base::Status UpdateTaints(const json::Value& node);

  kube::Client& client_;
  kube::Executor& executor_;
  kube::EventRecorder& events_;
  kube::Informer& nodes_;
  kube::Informer& pods_;
  std::mutex mutex_;                             // Guards heartbeats_.
  std::map<std::string, Heartbeat> heartbeats_;  // By node.
};

}  // namespace coppice::services::nodes
