#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "kube/executor/stepper.h"
#include "kube/process/manager.h"
#include "server/api_server.h"

namespace coppice::services {

// An API server with KAI's kinds, and a manager for the services under test.
struct TestCluster {
  explicit TestCluster(uint64_t seed = 0, std::string kubernetes_version = "1.35",
                       bool garbage_collection = true);
  ~TestCluster();

  kube::Client& client() { return *api_client; }
  // Starts the manager's controllers; add them first.
  void Start() { manager->Start(); }
  // Runs for this long in virtual time.
  void Settle(base::Duration duration = std::chrono::seconds(5)) { stepper.RunFor(duration); }

  // The test fails when the server refuses it.
  json::Value Create(const api::Resource& resource, std::string_view yaml);
  json::Value Get(const api::Resource& resource, std::string_view name,
                  std::string_view ns = "default");
  bool Exists(const api::Resource& resource, std::string_view name,
              std::string_view ns = "default");
  std::vector<json::Value> List(const api::Resource& resource, std::string_view ns = "");
  // "reason: message" of every event about this object.
  std::vector<std::string> EventsOf(std::string_view kind, std::string_view name);

  void AddNode(std::string_view name, int gpus, std::string_view labels = "");
  // Unlimited, below `parent` ("": top), with this quota of GPUs.
  void AddQueue(std::string_view name, std::string_view parent, double gpus, double limit = -1);
  void AddPriorityClasses();
  // Of our scheduler, with `gpus` GPUs; `extra` is added to the metadata.
  json::Value AddPod(std::string_view name, std::string_view queue, int gpus,
                     std::string_view metadata = "");
  // Marks every bound pod Running, as kubelets would.
  void RunBoundPods();

  kube::Stepper stepper;
  std::unique_ptr<server::ApiServer> server;
  std::unique_ptr<kube::Client> api_client;
  std::unique_ptr<kube::Manager> manager;
};

// A document from YAML; the test fails when it cannot be read.
json::Value Doc(std::string_view yaml);

}  // namespace coppice::services
