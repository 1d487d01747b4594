#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "json/value.h"
#include "kube/client/counting_client.h"
#include "kube/executor/thread_executor.h"
#include "kube/process/manager.h"

namespace coppice::server {
class ApiServer;
}

namespace coppice::operators {

class Kubelets;
class PodTally;

// The operator on an API server, with a helper that binds every ungated pod and makes it ready,
// instead of scheduler and kubelets. The helper's writes do not count; it watches from the
// beginning. The server is embedded in this process, or the one of the kubeconfig in
// COPPICE_BENCH_KUBECONFIG.
class Rig {
 public:
  Rig();
  ~Rig();

  // Pods per second of a loop that only creates `count` pods like those of `set` on the same
  // server, with this many threads. Call before Start.
  double BareRate(const json::Value& set, int count, int threads);
  void Start();

  kube::Client& client() { return *client_; }
  kube::CountingClient& counting() { return *counting_; }
  // The operator's pods that are not terminating.
  size_t Pods() const;
  size_t UngatedPods() const;
  size_t ReadyPods() const;
  // Waits until `done`; false after five minutes.
  template <typename Done>
  static bool Until(const Done& done) {
    const auto start = std::chrono::steady_clock::now();
    while (!done()) {
      if (std::chrono::steady_clock::now() - start > std::chrono::minutes(5)) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  // Waits until the operator has written nothing for a while.
  void Rest() const;

 private:
  void Prepare();

  kube::ThreadExecutor executor_;
  std::unique_ptr<server::ApiServer> server_;  // Null if it runs elsewhere.
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::CountingClient> counting_;
  std::unique_ptr<kube::Manager> manager_;
  std::unique_ptr<kube::Manager> others_;
  std::unique_ptr<Kubelets> kubelets_;
  std::unique_ptr<PodTally> tally_;
};

}  // namespace coppice::operators
