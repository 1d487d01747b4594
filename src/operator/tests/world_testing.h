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

// A cluster with nothing but the operator and its backends in it: the embedded API server, garbage
// collection, and somebody who binds every pod without gates and makes it ready. Virtual time.
class World {
 public:
  // Where everything happens.
  static constexpr char kNamespace[] = "team";

  struct Options {
    uint64_t seed = 0;
    Config config;
    std::vector<json::Value> crds;                // Beside Grove's.
    bool bind = true;                             // Pods without gates get a node and become ready.
    kube::Faults faults;                          // Between the operator and its server.
    std::vector<std::string> disabled_admission;  // Of the server.
  };

  explicit World(Options options);
  ~World();

  // Makes the operator and its backends afresh, as after a crash.
  void Restart();
  // The same with other backends.
  void RestartWith(backends::BackendConfig backends);
  // The same with whatever `change` does to its configuration.
  void RestartAfter(const std::function<void(Config&)>& change);
  // From now on nothing goes wrong any more.
  void EndFaults();
  // Runs until nothing has been written for `quiet`, at most an hour. False when it never settles.
  bool Settle(base::Duration quiet = std::chrono::seconds(20));
  void RunFor(base::Duration duration) { stepper.RunFor(duration); }

  // Creates from YAML; the test program ends on a mistake.
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
  // From now on the server refuses what matches the rule and makes the CEL expression false.
  void Refuse(const std::string& rule, const std::string& expression);
  void RefuseNothing();
  // The pod with this hostname; null when there is none.
  json::Value PodOf(const std::string& hostname);
  // Makes a running pod not ready (a container that has started and fails its probe), or ready.
  void SetReady(const std::string& hostname, bool ready);

  // Objects written since the start, by anybody, events apart.
  int64_t writes() const;

  kube::Stepper stepper;
  std::unique_ptr<server::ApiServer> server;
  std::unique_ptr<kube::Client> client;
  bool bind = true;
  // With whose rights the operator works from its next Restart on; "": with all.
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
