#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/resource.h"
#include "cli/run/processes_testing.h"
#include "json/value.h"
#include "kube/executor/thread_executor.h"
#include "server/front/http_front.h"
#include "stack/stack.h"

// Test helper: our manifests installed on the embedded server, with real processes of the program
// instead of pods.
namespace coppice::packaging {

inline constexpr std::string_view kNamespace = "coppice-system";

// The documents of a file in the source tree.
std::vector<json::Value> ReadDocuments(const std::string& path);

// Creates an object as kubectl would, where it is not there yet; the test fails when the server
// refuses it.
void ApplyTo(kube::Client& client, json::Value object);

// What one account did: "get pods", "patch podgangs.scheduler.grove.io/status".
using Deeds = std::map<std::string, std::set<std::string>>;

class Installation {
 public:
  explicit Installation(const std::string& kubernetes = "1.35");
  ~Installation();

  kube::Client& admin() { return stack_->client(); }
  void Apply(const json::Value& object);
  // Runs what the Deployment's pods would, once, with the rights of its service account and its
  // volumes as folders. Services of the process lead to it.
  void Run(const json::Value& deployment);
  // Ends the process of a Deployment as a failing machine would.
  void Kill(const std::string& name) { processes_.erase(name); }
  // A Job's command under its account, until it ends; returns the exit code.
  int RunJob(const json::Value& job);

  bool Wait(const std::function<bool()>& wanted);
  std::vector<std::string> RunningDeployments() const;

  // By account, from the audit log.
  Deeds Done() const { return Read(false); }
  Deeds Forbidden() const { return Read(true); }
  std::string LogOf(const std::string& name) const;
  // What the process of a Deployment answers at its admin address: status and body; 0 while nobody
  // answers.
  std::pair<int, std::string> Ask(const std::string& name, const std::string& path) const;
  // What `coppice doctor` prints for an administrator.
  std::string Doctor();

 private:
  struct Volume {
    std::string mount_path;
    std::string folder;
  };

  Deeds Read(bool refused) const;
  std::string TokenOf(const std::string& account);
  std::string WriteKubeconfig(const std::string& account);
  std::vector<Volume> Mount(const std::string& name, const json::Value& pod);
  std::vector<std::string> Arguments(const json::Value& container,
                                     const std::vector<Volume>& volumes,
                                     const std::string& account);
  // Sends the API server's webhook calls for this Service's port to a port of this machine.
  void Route(const std::string& service, const std::string& port_name, uint16_t port);

  cli::TemporaryFolder folder_;
  kube::ThreadExecutor executor_;
  std::unique_ptr<stack::Stack> stack_;
  std::unique_ptr<server::HttpFront> front_;
  std::map<std::string, std::unique_ptr<cli::Process>> processes_;
};

}  // namespace coppice::packaging
