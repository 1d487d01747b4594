#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include "kube/client/intercepted_client.h"
#include "kube/executor/executor.h"

namespace coppice::kube {

// What can go wrong between a component and its API server, each as a probability per call or per
// event.
struct Faults {
  double error = 0;              // A call fails before it reaches the server.
  double conflict = 0;           // A guarded write fails as if another writer was first.
  double error_after_write = 0;  // A write happens, and the caller gets a timeout.
  double stale_read = 0;         // A get or list shows what an earlier one showed.
  double watch_cut = 0;          // Per event: the watch ends, to be resumed.
  double watch_expired = 0;      // Per event: the event is lost and the watch ends with Gone.
  base::Duration watch_delay{};  // Events arrive up to this much later, still in order.
};

// A client that fails on purpose, repeatably from a seed. Built for the stepper, where a seed
// replays a run exactly; thread-safe.
//
//   kube::FaultyClient faulty(*client, stepper, {.error = 0.05, .watch_cut = 0.1}, seed);
//   auto manager = kube::Manager::Make(faulty, stepper);
class FaultyClient final : public InterceptedClient {
 public:
  FaultyClient(Client& inner, Executor& executor, Faults faults, uint64_t seed);

  base::Result<json::Value> Get(const Resource& resource, const ObjectKey& key,
                                const GetOptions& options = {}) override;
  base::Result<ObjectList> List(const Resource& resource, const ListOptions& options = {}) override;
  base::Result<std::unique_ptr<Watch>> StartWatch(const Resource& resource,
                                                  const WatchOptions& options,
                                                  WatchSink& sink) override;

  // From now on; {} makes an honest client of it.
  void SetFaults(Faults faults);
  // The process dies after this many more writes: every later call fails, reads too, and `on_crash`
  // is called once. It runs within the call that found the process dead: let it set a flag, and
  // destroy the manager from outside.
  void CrashAfterWrites(int64_t writes, std::function<void()> on_crash = {});
  bool crashed() const { return crashed_; }

  // How many faults there were.
  int64_t injected() const { return injected_; }

 protected:
  base::Status Before(const Call& call) override;
  base::Status After(const Call& call, const base::Status& outcome) override;

 private:
  class Relay;
  friend class Relay;

  // True with the probability that `which` has now.
  bool Strikes(double Faults::* which);
  base::Duration RandomDelay();
  base::Status Crash();
  template <typename T>
  using History = std::map<std::string, std::deque<T>>;
  template <typename T>
  T MaybeOlder(History<T>& history, const std::string& key, T fresh);

  Executor& executor_;
  std::atomic<bool> crashed_ = false;
  std::atomic<int64_t> injected_ = 0;

  std::mutex mutex_;  // Guards all below.
  Faults faults_;
  std::mt19937_64 random_;
  std::optional<int64_t> writes_left_;
  std::function<void()> on_crash_;
  History<json::Value> old_objects_;
  History<ObjectList> old_lists_;
};

}  // namespace coppice::kube
