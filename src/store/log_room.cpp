#include "store/log_room.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

namespace coppice::store {
namespace {

constexpr int64_t kStep = 1 << 20;
// A transaction that needs more lets the log grow, once.
constexpr int64_t kLeft = 128 << 10;

}  // namespace

LogRoom::~LogRoom() {
  if (file_ >= 0) close(file_);
}

void LogRoom::Ensure(int64_t used) {
  if (given_up_ || used + kLeft <= size_) return;
  given_up_ = !Open() || !Add();
}

bool LogRoom::Open() {
  if (file_ < 0) file_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  struct stat found;
  if (file_ < 0 || fstat(file_, &found) != 0) return false;
  size_ = found.st_size;
  return true;
}

bool LogRoom::Add() {
  static const std::vector<char> zeros(kStep);
  if (pwrite(file_, zeros.data(), zeros.size(), size_) == kStep) {
    size_ += kStep;
    return true;
  }
  // What little there is belongs to those who have something to write.
  (void)!ftruncate(file_, size_);
  return false;
}

}  // namespace coppice::store
