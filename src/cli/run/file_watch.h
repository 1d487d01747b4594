#pragma once

#include <functional>
#include <string>

#include "kube/executor/executor.h"
#include "kube/executor/task_scope.h"

namespace coppice::cli {

// Looks at a file every few seconds and says when its content has changed. It reads instead of
// waiting for the kernel's word, because files from ConfigMaps change by a link being moved.
class FileWatch {
 public:
  FileWatch(kube::Executor& executor, std::string path, std::function<void()> on_change);

  void Start();
  // Nothing of it runs any more when this returns.
  void Stop() { scope_.Close(); }

 private:
  void Look();

  const std::string path_;
  const std::function<void()> on_change_;
  std::string content_;
  kube::TaskScope scope_;
};

}  // namespace coppice::cli
