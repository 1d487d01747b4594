#include "kube/process/manager.h"

#include <atomic>
#include <iterator>
#include <mutex>

#include "base/log.h"
#include "kube/cache/informer_cache.h"
#include "kube/cache/write_through_client.h"
#include "kube/controller/controller_runner.h"
#include "kube/events/event_writer.h"
#include "kube/metrics.h"

namespace coppice::kube {
namespace {

class RunningManager final : public Manager {
 public:
  RunningManager(Client& client, Executor& executor, Options options)
      : executor_(executor),
        options_(std::move(options)),
        own_metrics_(options_.metrics == nullptr ? Metrics::Make() : nullptr),
        metrics_(options_.metrics == nullptr ? *own_metrics_ : *options_.metrics),
        cache_(client, executor, ReflectorOptions(), [this] { OnSynced(); }),
        client_(client, cache_),
        events_(client, executor,
                {.component = options_.identity, .metrics = &metrics_, .priorities = &priorities_}),
        strand_(executor),
        scope_(executor) {}

  ~RunningManager() override { Stop(); }

  Runtime runtime() override {
    return {client_, cache_, executor_, events_, metrics_, priorities_};
  }

  void AddController(ControllerSpec spec, std::unique_ptr<Reconciler> reconciler) override {
    auto runner =
        std::make_unique<ControllerRunner>(std::move(spec), std::move(reconciler), Shared());
    ControllerRunner& added = *runner;
    {
      std::lock_guard lock(mutex_);
      controllers_.push_back(std::move(runner));
    }
    added.Watch(cache_);
    OnSynced();
  }

  void OnStart(std::function<void()> hook) override {
    std::lock_guard lock(mutex_);
    hooks_.push_back(std::move(hook));
  }

  void Enqueue(const std::string& controller, const ObjectKey& key, Priority priority) override {
    for (ControllerRunner* runner : Controllers()) {
      if (runner->name() == controller) return runner->Enqueue(key, priority);
    }
    base::LogError("no such controller", {{"controller", controller}, {"key", key.ToString()}});
  }

  void Start() override {
    cache_.Start();
    OnSynced();  // There may be nothing to wait for.
  }

  bool Synced() const override { return cache_.Synced(); }

  bool Idle() const override {
    for (const ControllerRunner* runner : Controllers()) {
      if (!runner->idle()) return false;
    }
    return true;
  }

  // Controllers first, because they write. Then nothing uses the informers' handlers any more.
  void Stop() override {
    scope_.Close();
    for (ControllerRunner* runner : Controllers()) runner->Stop();
    cache_.Stop();
    events_.Close();
  }

 private:
  ControllerRunner::Shared Shared() { return {executor_, options_.retry, metrics_, priorities_}; }

  void PumpAll() {
    for (ControllerRunner* runner : Controllers()) runner->Pump();
  }

  Reflector::Options ReflectorOptions() {
    Reflector::Options options;
    options.streaming_lists = options_.streaming_lists;
    options.share_equal_parts = options_.share_equal_parts;
    options.resync = options_.resync;
    options.metrics = &metrics_;
    return options;
  }

  std::vector<ControllerRunner*> Controllers() const {
    std::lock_guard lock(mutex_);
    std::vector<ControllerRunner*> all;
    for (const auto& runner : controllers_) all.push_back(runner.get());
    return all;
  }

  void OnSynced() {
    if (cache_.Synced()) strand_.Post(scope_.Wrap([this] { StartControllers(); }));
  }

  // Starting a controller twice does nothing, so that one added later starts the same way.
  void StartControllers() {
    std::vector<std::function<void()>> hooks;
    {
      std::lock_guard lock(mutex_);
      hooks.swap(hooks_);
    }
    for (const auto& hook : hooks) hook();
    // What they hold lives as long as we do.
    std::move(hooks.begin(), hooks.end(), std::back_inserter(hooks_run_));
    if (!cache_.Synced()) return;  // A hook has asked for another informer: when that has synced.
    for (ControllerRunner* runner : Controllers()) runner->Start();
  }

  Executor& executor_;
  const Options options_;
  const std::unique_ptr<Metrics> own_metrics_;
  Metrics& metrics_;
  PriorityTracker priorities_{[this] { PumpAll(); }};

  mutable std::mutex mutex_;  // Guards the two below; controllers are never removed.
  std::vector<std::unique_ptr<ControllerRunner>> controllers_;
  std::vector<std::function<void()>> hooks_;

  InformerCache cache_;
  WriteThroughClient client_;
  EventWriter events_;
  std::vector<std::function<void()>> hooks_run_;  // Of the strand.
  Strand strand_;
  TaskScope scope_;
};

}  // namespace

std::unique_ptr<Manager> Manager::Make(Client& client, Executor& executor, Options options) {
  return std::make_unique<RunningManager>(client, executor, std::move(options));
}

}  // namespace coppice::kube
