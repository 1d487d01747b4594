#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/common/connect.h"
#include "cli/common/picture.h"
#include "engine/engine.h"
#include "json/value.h"
#include "services/scheduler/answers/runtimes.h"
#include "services/scheduler/read/cluster.h"

namespace coppice::cli {

// Where questions about the future are asked.
struct AskedFlags {
  ClusterFlags cluster;
  std::string snapshot;   // A snapshot file instead of a cluster.
  std::string config;     // The scheduler's configuration file; "": the snapshot's, or the default.
  std::string node_pool;  // Of a cluster: whose scheduler; "" is the default.
  std::string now;        // RFC 3339; "": the current time, or the newest in the snapshot.
};

// A cluster in an engine that keeps its inputs, read once. Not thread-safe.
class AskedCluster {
 public:
  static base::Result<std::unique_ptr<AskedCluster>> FromSnapshot(const AskedFlags& flags);
  // `client` and `executor` must outlive it.
  static base::Result<std::unique_ptr<AskedCluster>> FromClient(kube::Client& client,
                                                                kube::Executor& executor,
                                                                const AskedFlags& flags,
                                                                const PictureWait& wait);

  engine::Engine& engine() { return picture_ ? picture_->engine() : *engine_; }
  const engine::Ledger& inputs() const {
    return *(picture_ ? picture_->engine() : *engine_).inputs();
  }
  base::Time now() const { return now_; }
  const std::string& node_pool_key() const { return node_pool_key_; }
  services::scheduler::PriorityClasses Priorities() const;
  services::scheduler::KnownRuntimes Runtimes() const;
  // Queues, priority classes and topologies: what submitted work may refer to.
  std::vector<json::Value> Surroundings() const;

 private:
  std::unique_ptr<Picture> picture_;        // Null for a snapshot.
  std::unique_ptr<engine::Engine> engine_;  // Null for a cluster.
  base::Time now_{};
  std::string node_pool_key_;
  json::Value objects_;  // Lists by the names that snapshot files use.
  std::vector<json::Value> jobs_;
  std::vector<json::Value> bindings_;  // ClusterTopologyBindings.
};

}  // namespace coppice::cli
