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
  // `content` is what its user has read; whatever differs from it is a change.
  FileWatch(kube::Executor& executor, std::string path, std::string content,
            std::function<void(const std::string& content)> on_change);

  void Start();
  // Nothing of it runs any more when this returns.
  void Stop() { scope_.Close(); }

 private:
  void Look();

  const std::string path_;
  const std::function<void(const std::string&)> on_change_;
  std::string content_;
  kube::TaskScope scope_;
};

}  // namespace coppice::cli
