#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/resource.h"
#include "json/value.h"
#include "kube/executor/thread_executor.h"
#include "kube/process/manager.h"

// Test helpers: real processes of the program beside the test, and a look at the cluster they
// share.
namespace coppice::cli {

// One run of the program, killed with the object.
class Process {
 public:
  // Errors go to `log`.
  Process(const std::vector<std::string>& arguments, const std::string& log);
  ~Process() { Kill(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Reads its standard output until a line that starts with `text`; false when it ends before.
  bool WaitForLine(const std::string& text);
  // The rest of that line; "" when there is none.
  std::string RestOfLine(const std::string& text);
  // All that it prints until it ends, and then its exit code.
  std::string ReadAll();
  int Wait();
  // SIGKILL: it gets no chance to put anything in order.
  void Kill();

 private:
  std::optional<std::string> FindLine(const std::string& text);

  int pid_ = -1;
  int output_ = -1;
};

// What a run of the program printed until it ended.
struct Printed {
  std::string text, errors;
  int code;
};
Printed RunToTheEnd(const std::vector<std::string>& arguments);

// A folder that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// What a cluster holds, and waiting for it to change.
class ClusterWatch {
 public:
  ClusterWatch(const std::string& kubeconfig, const std::vector<api::Resource>& resources);
  ~ClusterWatch();

  kube::Client& client() { return *client_; }
  std::vector<json::Value> List(const api::Resource& resource);
  // Until what is seen is as wanted, looking whenever something changes; false after a minute.
  bool Wait(const std::function<bool()>& wanted);

 private:
  kube::ThreadExecutor executor_;
  std::unique_ptr<kube::Client> client_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<kube::Manager> manager_;
};

}  // namespace coppice::cli
