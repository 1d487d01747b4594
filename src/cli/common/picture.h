#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "kube/client/client.h"
#include "kube/process/manager.h"
#include "services/scheduler/feed/assumptions.h"
#include "services/scheduler/feed/feed.h"
#include "services/scheduler/options/options.h"

namespace coppice::cli {

// Blocks until a condition is true on the executor, and returns whether that happened in time.
using PictureWait = std::function<bool(const std::function<bool()>& done)>;

// The options of a node pool's scheduler, as far as a cluster shows them.
services::scheduler::Options PictureOptions(const std::string& node_pool);

// The cluster from the view of a scheduler, read once into an engine that keeps its inputs. Works
// on any cluster and writes nothing. Not thread-safe.
class Picture {
 public:
  Picture(kube::Client& client, kube::Executor& executor, services::scheduler::Options options);
  ~Picture();

  // Forbidden if the user may not read all of it.
  base::Status Read(const PictureWait& wait);

  engine::Engine& engine() { return engine_; }
  const services::scheduler::Options& options() const { return options_; }
  // By the names that snapshot files use.
  json::Value Objects() const { return feed_.Objects(); }

 private:
  class RightsClient;
  std::unique_ptr<RightsClient> client_;
  services::scheduler::Options options_;
  std::unique_ptr<kube::Manager> manager_;
  engine::Engine engine_;
  services::scheduler::Assumptions assumptions_;
  services::scheduler::Feed feed_;
};

// Whether the cluster serves the kinds that our scheduler works with.
base::Result<bool> HasScheduler(kube::Client& client);
// Tells early whether the user may only read one namespace, before every informer fails.
bool MaySeeNodes(kube::Client& client);

}  // namespace coppice::cli
