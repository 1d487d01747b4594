#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/files/checksum.h"

namespace coppice::store {

// What clients were told: the newest revision that was acknowledged, and which states were the
// current ones then.
struct Promise {
  uint32_t identity = 0;  // Of the database.
  int64_t revision = 0;   // 0: nothing yet.
  uint64_t live = 0;      // The sum of LiveSum over the revisions of all objects.
};

// An object that is replaced or deleted takes its summand with it.
inline uint64_t LiveSum(int64_t revision) {
  return revision == 0 ? 0 : MixChecksum(0, static_cast<uint64_t>(revision));
}

// Keeps the promise in a file beside the database. Every commit writes it, after the commit is on
// the disk, and does not wait for this file to be: a process that is killed leaves the promise
// exact, a power cut leaves one of up to half a minute before. It is never ahead of the database.
//
// For the one process that writes the database.
class PromiseFile {
 public:
  explicit PromiseFile(std::string path) : path_(std::move(path)) {}
  PromiseFile(const PromiseFile&) = delete;
  PromiseFile& operator=(const PromiseFile&) = delete;
  ~PromiseFile();

  // Nothing when there is no file; an error when it is not what was written.
  static base::Result<std::optional<Promise>> Read(const std::string& path);
  // Creates the file if need be.
  base::Status Write(const Promise& promise);
  // Waits until it is on the disk.
  base::Status Sync();

 private:
  const std::string path_;
  int file_ = -1;
};

}  // namespace coppice::store
