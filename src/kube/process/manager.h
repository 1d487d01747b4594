#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kube/cache/cache.h"
#include "kube/client/client.h"
#include "kube/controller/controller.h"
#include "kube/executor/backoff.h"
#include "kube/executor/executor.h"
#include "kube/executor/priority.h"

namespace coppice::kube {

class EventRecorder;
class Metrics;

// Everything a component is given to work with.
struct Runtime {
  Client& client;  // What is written through it, the cache shows at once.
  Cache& cache;
  Executor& executor;
  EventRecorder& events;
  Metrics& metrics;
  PriorityTracker& priorities;  // To declare work that others wait for.
};

// Runs controllers over one shared cache: caches sync first, then controllers start; Stop drains
// the running reconciles and returns when everything has stopped.
class Manager {
 public:
  struct Options {
    std::string identity = "coppice";  // Field manager and event source.
    // Shared with other parts of the process when given; must outlive the manager.
    Metrics* metrics = nullptr;
    // Uses streaming lists if the server supports them.
    bool streaming_lists = false;
    // Cached objects share their equal parts. For clients over HTTP: in-process ones share already.
    bool share_equal_parts = false;
    // Back-off of failed keys.
    Backoff retry;
    // Every object is reconciled again this often, whether it changed or not. 0: never.
    base::Duration resync{};
  };

  static std::unique_ptr<Manager> Make(Client& client, Executor& executor, Options options);
  static std::unique_ptr<Manager> Make(Client& client, Executor& executor) {
    return Make(client, executor, Options{});
  }
  // Stops, and is safe while reconciles run.
  virtual ~Manager() = default;

  // Valid for the manager's lifetime.
  virtual Runtime runtime() = 0;

  virtual void AddController(ControllerSpec spec, std::unique_ptr<Reconciler> reconciler) = 0;
  // Called once after all caches have synced, before controllers start.
  virtual void OnStart(std::function<void()> hook) = 0;
  // Enqueues a key for the controller of this name. `priority` as in
  // ControllerSpec::WithPriority.
  virtual void Enqueue(const std::string& controller, const ObjectKey& key,
                       Priority priority = Priority::kNormal) = 0;

  // Returns at once; synced() reports when the caches have synced.
  virtual void Start() = 0;
  virtual bool Synced() const = 0;
  // No controller has a key that is ready or being processed. Delayed keys do not count.
  virtual bool Idle() const = 0;
  virtual void Stop() = 0;
};

}  // namespace coppice::kube
