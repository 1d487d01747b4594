#pragma once

#include <functional>
#include <string>

#include "kube/executor/executor.h"
#include "kube/executor/task_scope.h"

namespace coppice::cli {

// Polls a file every few seconds and reports when its content changed. Polls instead of using
// inotify, because files from ConfigMaps change when a symlink is swapped.
class FileWatch {
 public:
  // `content` is what the caller has read; anything different is a change.
  FileWatch(kube::Executor& executor, std::string path, std::string content,
            std::function<void(const std::string& content)> on_change);

  void Start();
  // When it returns, no callback is running or will run.
  void Stop() { scope_.Close(); }

 private:
  void Look();

  const std::string path_;
  const std::function<void(const std::string&)> on_change_;
  std::string content_;
  kube::TaskScope scope_;
};

}  // namespace coppice::cli
