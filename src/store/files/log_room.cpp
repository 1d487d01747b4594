#include "store/files/log_room.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "store/files/log_check.h"

namespace coppice::store {
namespace {

constexpr int64_t kStep = 1 << 20;
// A transaction that needs more lets the log grow, once.
constexpr int64_t kLeft = 128 << 10;
constexpr int64_t kGivenBack = 256 << 10;
constexpr int64_t kSaltAt = 16;

}  // namespace

LogRoom::~LogRoom() {
  if (file_ >= 0) close(file_);
}

bool LogRoom::Ensure(int64_t used) {
  return used + kLeft <= size_ || (Open() && (used + kLeft <= size_ || Add()));
}

bool LogRoom::HasBegun() {
  uint64_t salt = 0;
  if (!Open() || pread(file_, &salt, sizeof salt, kSaltAt) != sizeof salt) return false;
  return std::exchange(salt_, salt) != salt;
}

void LogRoom::Retire() {
  const std::string_view head = RetiredLogHead();
  if (!Open() || size_ == 0) return;
  (void)!pwrite(file_, head.data(), head.size(), 0);
  ShrinkTo(kStep);
}

void LogRoom::GiveBack(int64_t used) {
  if (Open()) ShrinkTo(std::max(used, size_ - kGivenBack));
}

bool LogRoom::Open() {
  if (file_ < 0) file_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
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

void LogRoom::ShrinkTo(int64_t size) {
  if (size < size_ && ftruncate(file_, size) == 0) size_ = size;
}

}  // namespace coppice::store
