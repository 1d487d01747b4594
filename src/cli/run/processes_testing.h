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

// Test helpers: real processes of the program next to the test, and a view of the cluster they
// share.
namespace coppice::cli {

// One run of the program, killed by the destructor.
class Process {
 public:
  // Errors go to `log`.
  Process(const std::vector<std::string>& arguments, const std::string& log);
  ~Process() { Kill(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Reads its standard output up to a line that starts with `text`; false if it ends before.
  bool WaitForLine(const std::string& text);
  // The rest of that line; "" if there is none.
  std::string RestOfLine(const std::string& text);
  // Everything it prints until it ends, and then its exit code.
  std::string ReadAll();
  int Wait();
  // SIGKILL: it cannot clean up.
  void Kill();

 private:
  std::optional<std::string> FindLine(const std::string& text);

  int pid_ = -1;
  int output_ = -1;
};

// The output and exit code of a run of the program.
struct Printed {
  std::string text, errors;
  int code;
};
Printed RunToTheEnd(const std::vector<std::string>& arguments);

// A directory that the destructor deletes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// The contents of a cluster, and waiting for changes.
class ClusterWatch {
 public:
  ClusterWatch(const std::string& kubeconfig, const std::vector<api::Resource>& resources);
  ~ClusterWatch();

  kube::Client& client() { return *client_; }
  std::vector<json::Value> List(const api::Resource& resource);
  // Waits until `wanted` is true, checking after every change; false after a minute.
  bool Wait(const std::function<bool()>& wanted);

 private:
  kube::ThreadExecutor executor_;
  std::unique_ptr<kube::Client> client_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<kube::Manager> manager_;
};

}  // namespace coppice::cli
