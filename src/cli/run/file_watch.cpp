#include "cli/run/file_watch.h"

#include <chrono>

#include "cli/common/files.h"

namespace coppice::cli {
namespace {

constexpr auto kPeriod = std::chrono::seconds(2);

}  // namespace

FileWatch::FileWatch(kube::Executor& executor, std::string path, std::string content,
                     std::function<void(const std::string&)> on_change)
    : path_(std::move(path)),
      on_change_(std::move(on_change)),
      content_(std::move(content)),
      scope_(executor) {}

void FileWatch::Start() {
  scope_.PostAfter(kPeriod, [this] { Look(); });
}

void FileWatch::Look() {
  // A file that is being replaced may be missing briefly.
  auto content = ReadFile(path_);
  if (content && *content != content_) {
    content_ = *std::move(content);
    on_change_(content_);
  }
  scope_.PostAfter(kPeriod, [this] { Look(); });
}

}  // namespace coppice::cli
