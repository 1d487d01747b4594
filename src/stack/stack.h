#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/client/faulty_client.h"
#include "kube/executor/thread_executor.h"
#include "kube/process/manager.h"
#include "server/api_server.h"
#include "sim/cluster_shape.h"
#include "stack/components.h"
#include "stack/embedded_admission.h"

namespace coppice::stack {

// For the executor of a stack on threads. In memory its calls hardly ever block, and threads beyond
// those that can run stand in each other's way; writers that wait for a disk wait together.
inline kube::ThreadExecutor::Options StackThreads(bool in_memory = true) {
  const size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const size_t most = std::max<size_t>(8, 2 * processors);
  return {.max_threads = most, .at_once = in_memory ? processors + 1 : most};
}

struct StackOptions {
  std::string data_dir;  // "" keeps everything in memory.
  bool accept_data_loss = false;
  std::string kubernetes_version = "1.35";
  sim::ClusterShape shape;
  double default_quota = 0;  // Of default-queue, as installed on a cluster; -1: unlimited.
  std::vector<std::string> components;  // See components.h.
  operators::Config operator_config = DefaultOperatorConfig();
  services::AllOptions services = EmbeddedServiceOptions();
  std::optional<uint64_t> seed;
  std::vector<std::string> rivals;  // Components that run twice, as in a second process.
  // What components reach the server through, e.g. a client that fails or counts; default:
  // directly.
  std::function<std::unique_ptr<kube::Client>(kube::Client& server)> decorate;
  // The operator runs as if in a process of its own, with this probability of a conflict whenever
  // it writes guarded; 0 leaves it with the others.
  double operator_conflicts = 0;
  // Of the components, across their restarts; must outlive the stack. Null: each start its own.
  kube::Metrics* metrics = nullptr;
  // See ComponentContext; Start again, from another thread, is what to do about it.
  std::function<void()> on_outdated = [] {};
};

// The whole product in one process: the embedded API server, simulated nodes, and any of our
// components over one shared cache. Runs on threads for `coppice up` and `./dev demo`, and on the
// deterministic stepper in scenarios.
class Stack {
 public:
  // Installs CRDs and creates what a usable cluster has from the start. `executor` must outlive it.
  static base::Result<std::unique_ptr<Stack>> Make(kube::Executor& executor, StackOptions options);
  ~Stack();

  base::Status Start();
  // Other components from now on.
  base::Status StartWith(std::vector<std::string> components) {
    options_.components = std::move(components);
    return Start();
  }
  // Another configuration of the operator from now on.
  base::Status StartWith(operators::Config config) {
    options_.operator_config = std::move(config);
    return Start();
  }
  // Only the operator starts afresh; it must run apart.
  base::Status RestartOperator();
  // Stops every component; the server stays. Start makes fresh components, as after a crash.
  void Stop();

  server::ApiServer& server() { return *server_; }
  kube::Client& client() { return *client_; }
  kube::Manager& manager() { return *manager_; }
  bool Runs(std::string_view component) const;

 private:
  Stack(kube::Executor& executor, StackOptions options);
  base::Status Prepare();
  base::Result<std::unique_ptr<kube::Manager>> Run(kube::Client& client,
                                                   const std::vector<std::string>& components,
                                                   EmbeddedAdmission* admission);

  kube::Executor& executor_;
  StackOptions options_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<EmbeddedAdmission> admission_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::Client> decorated_;  // Null when not asked for.
  uint64_t starts_ = 0;
  std::unique_ptr<kube::Manager> manager_;  // Null while stopped.
  std::unique_ptr<kube::Manager> rivals_;   // Null while stopped, or without rivals.
  // Null unless the operator runs apart.
  std::unique_ptr<kube::FaultyClient> operator_client_;
  std::unique_ptr<kube::Manager> operator_;
};

}  // namespace coppice::stack
