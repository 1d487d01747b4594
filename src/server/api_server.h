#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "kube/executor/executor.h"
#include "server/model/admission.h"
#include "server/model/user.h"

namespace coppice::server {

class Controllers;
class Core;

// The embedded Kubernetes API server, without sockets: storage, kinds, CRDs, admission, watches.
// http_front.h serves it over HTTP(S).
//
//   kube::Stepper stepper(seed);
//   auto server = server::ApiServer::Make({.clock = &stepper.clock()});
//   (*server)->StartControllers(stepper);
//   auto client = (*server)->NewClient(stepper);
//
// Thread-safe. Clients and watches must be gone before the server is destroyed.
class ApiServer {
 public:
  struct Options {
    const base::Clock* clock = nullptr;       // Must outlive the server. Required.
    std::string data_dir;                     // "" keeps everything in memory.
    std::string kubernetes_version = "1.35";  // "1.35", "1.36" or "1.37".
    // Seeds uids and generated names. Unset: fixed in memory, random with a data folder.
    std::optional<uint64_t> seed;
    // How many changes of one resource a watch may lag behind before it gets 410 Gone.
    size_t watch_history = 16384;
    // Maximum size of the database; writes that need more get 503. 0: no limit.
    uint64_t max_database_bytes = 0;
    // Starts with what can still be read from a damaged data folder.
    bool accept_data_loss = false;
    // Built-in admission to leave out, by Kubernetes' names: "ServiceAccount" (which also leaves
    // token secrets unfilled), "LimitRanger", …
    std::vector<std::string> disabled_admission;
  };

  static base::Result<std::unique_ptr<ApiServer>> Make(Options options);
  ~ApiServer();

  // A client that calls the server directly: same rules as over HTTP, no encoding; objects share
  // memory with the store. Watch events are delivered by tasks on `executor`, which must outlive
  // it.
  std::unique_ptr<kube::Client> NewClient(kube::Executor& executor, User user = User::Admin());

  // Creates or replaces a CustomResourceDefinition; it is served when this returns.
  base::Status InstallCrd(const json::Value& crd);

  // Plugins run in the order they are added. Before the first request.
  void AddAdmission(std::shared_ptr<AdmissionPlugin> plugin);

  // Starts garbage collection and the namespace lifecycle as tasks on `executor`, which must
  // outlive the server or be stopped before it is destroyed.
  void StartControllers(kube::Executor& executor);

  // Copies the database of a data folder into one file, even while its server runs. To restore it,
  // put the file into a new data folder as coppice.db.
  static base::Status BackUp(const std::string& data_dir, const std::string& file);

  Core& core() { return *core_; }

 private:
  explicit ApiServer(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
  std::unique_ptr<Controllers> controllers_;
};

}  // namespace coppice::server
