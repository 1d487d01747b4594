#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/resource.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "kube/client/faulty_client.h"
#include "kube/executor/stepper.h"
#include "kube/process/manager.h"
#include "operator/runtime/config.h"
#include "operator/webhooks/admission.h"
#include "server/api_server.h"

namespace coppice::operators {

// A cluster with only the operator and its backends: the embedded API server, garbage collection,
// and a helper that binds every ungated pod and makes it ready. Uses virtual time.
class World {
 public:
  // The namespace of all objects.
  static constexpr char kNamespace[] = "team";

  struct Options {
    uint64_t seed = 0;
    Config config;
    std::vector<json::Value> crds;                // Besides Grove's.
    bool bind = true;                             // Ungated pods get a node and become ready.
    kube::Faults faults;                          // Between the operator and its server.
    std::vector<std::string> disabled_admission;  // Of the server.
  };

  explicit World(Options options);
  ~World();

  // Recreates the operator and its backends, as after a crash.
  void Restart();
  // Restarts with other backends.
  void RestartWith(backends::BackendConfig backends);
  // Restarts with a changed configuration.
  void RestartAfter(const std::function<void(Config&)>& change);
  // Stops injecting faults.
  void EndFaults();
  // Runs until nothing has been written for `quiet`, at most an hour. False if it never settles.
  bool Settle(base::Duration quiet = std::chrono::seconds(20));
  void RunFor(base::Duration duration) { stepper.RunFor(duration); }

  // Creates from YAML; aborts the test program on an error.
  json::Value Create(const std::string& yaml);
  base::Result<json::Value> TryCreate(json::Value object);
  json::Value Get(const api::Resource& resource, const std::string& name);
  bool Exists(const api::Resource& resource, const std::string& name);
  std::vector<json::Value> List(const api::Resource& resource, const std::string& selector = "");
  std::vector<std::string> Names(const api::Resource& resource, const std::string& selector = "");
  json::Value MergePatch(const api::Resource& resource, const std::string& name,
                         const std::string& yaml);
  void Scale(const api::Resource& resource, const std::string& name, int replicas);
  void Delete(const api::Resource& resource, const std::string& name);
  // Makes the server reject requests that match the rule and for which the CEL expression is false.
  void Refuse(const std::string& rule, const std::string& expression);
  void RefuseNothing();
  // The pod with this hostname; null if there is none.
  json::Value PodOf(const std::string& hostname);
  // Makes a running pod unready (a started container that fails its probe), or ready.
  void SetReady(const std::string& hostname, bool ready);

  // Objects written since the start, by anyone, without events.
  int64_t writes() const;

  kube::Stepper stepper;
  std::unique_ptr<server::ApiServer> server;
  std::unique_ptr<kube::Client> client;
  bool bind = true;
  // The operator's account from its next Restart on; "": all permissions.
  std::string operator_account;

 private:
  class Kubelet;
  void Install(const std::vector<json::Value>& crds);

  Config config_;
  kube::Faults faults_;
  uint64_t next_seed_;
  std::unique_ptr<kube::Client> operator_client_;
  std::unique_ptr<kube::FaultyClient> faulty_client_;
  std::unique_ptr<kube::Manager> manager_;
  std::unique_ptr<webhooks::Admission> admission_;
  std::unique_ptr<Kubelet> kubelet_;
};

// The status of a pod that runs on a node.
json::Value RunningStatus(const json::Value& pod, bool ready, base::Time now);

}  // namespace coppice::operators
