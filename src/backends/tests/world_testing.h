#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/well_known.h"
#include "backends/gangs/cache_view.h"
#include "backends/sync/component.h"
#include "kube/executor/stepper.h"
#include "kube/process/manager.h"
#include "server/api_server.h"

// Test helpers: a control plane in one deterministic program, and the input of the worked examples.
namespace coppice::backends {

// Parses a test's YAML; aborts the test program on an error.
json::Value Yaml(const std::string& text);
std::vector<json::Value> YamlDocuments(const std::string& text);

// Counts the writes that go through it.
class CountingClient;

// An embedded API server with CRDs, the backends' controllers, and virtual time.
class World {
 public:
  struct Options {
    std::string kubernetes_version = "1.35";
    std::vector<std::string> projects = {"grove"};
    std::string config;  // YAML of the operator's configuration.
    uint64_t seed = 0;
    std::vector<std::string> only;
    std::shared_ptr<server::AdmissionPlugin> admission;
  };

  explicit World(const Options& options);
  ~World();

  // Recreates the backends, as after a crash.
  void Start();
  // Runs until nothing has happened for a second of virtual time.
  void Settle();
  void RunFor(base::Duration duration) { stepper.RunFor(duration); }

  json::Value Create(const json::Value& object);
  json::Value Get(const api::Resource& resource, const std::string& ns, const std::string& name);
  bool Exists(const api::Resource& resource, const std::string& ns, const std::string& name);
  std::vector<json::Value> List(const api::Resource& resource);
  // Merge-patches status.
  void SetStatus(const api::Resource& resource, const std::string& ns, const std::string& name,
                 const json::Value& status);
  void Patch(const api::Resource& resource, const std::string& ns, const std::string& name,
             const json::Value& merge);
  // Acts as the operator: creates the gang with pod references, prepares pods, sets
  // Initialized=True.
  json::Value CreateGang(const json::Value& gang);
  void Initialize(const std::string& ns, const std::string& gang);
  json::Value CreatePod(const std::string& ns, const std::string& gang, const std::string& group,
                        int index, const std::string& name);
  void BindAndRun(const std::string& ns, const std::string& pod, const std::string& node);

  // Writes by the backends since the start.
  int64_t writes() const;

  kube::Stepper stepper;
  std::unique_ptr<server::ApiServer> server;
  std::unique_ptr<kube::Client> client;     // The test's own.
  std::unique_ptr<CountingClient> counted;  // The backends'.
  std::unique_ptr<kube::Manager> manager;
  std::unique_ptr<Backends> backends;

 private:
  const Options options_;
};

// The two gangs of the worked examples, with label scheduler-name as given, and their set.
json::Value ExampleGang(const std::string& scheduler);
json::Value ExampleScaledGang(const std::string& scheduler);
json::Value ExampleSet(const std::string& scheduler);
json::Value ExampleBinding();
// The complete input of a translation, offline: all capabilities, queue team-a, topology dc1.
GangInput ExampleInput(const json::Value& gang, const std::string& scheduler,
                       const Capabilities& capabilities, const json::Value& options = {});
// The spec of the example's objects, for comparison with the worked examples.
std::vector<json::Value> WithoutTracking(const Translation& translation);

}  // namespace coppice::backends
