#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace coppice::store {

// Held by one process at a time; released when it exits, even if it crashes.
class FileLock {
 public:
  // kUnavailable if another process holds it.
  static base::Result<FileLock> Take(const std::string& path);

  FileLock() = default;
  FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}

  int file_ = -1;
};

}  // namespace coppice::store
