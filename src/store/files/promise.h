#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/files/checksum.h"

namespace coppice::store {

// What clients have seen: the newest acknowledged revision, and a checksum of the state at that
// revision.
struct Promise {
  uint32_t identity = 0;  // Of the database.
  int64_t revision = 0;   // 0: nothing yet.
  uint64_t live = 0;      // The sum of LiveSum over the revisions of all objects.
};

// Replacing or deleting an object subtracts its summand.
inline uint64_t LiveSum(int64_t revision) {
  return revision == 0 ? 0 : MixChecksum(0, static_cast<uint64_t>(revision));
}

// Stores the promise in a file next to the database. Every commit writes it, after the commit is on
// disk, without syncing it: after a kill the promise is exact, after a power failure it may be up
// to half a minute old. It is never ahead of the database.
//
// Used by the one process that writes the database.
class PromiseFile {
 public:
  explicit PromiseFile(std::string path) : path_(std::move(path)) {}
  PromiseFile(const PromiseFile&) = delete;
  PromiseFile& operator=(const PromiseFile&) = delete;
  ~PromiseFile();

  // nullopt if there is no file; an error if it is damaged.
  static base::Result<std::optional<Promise>> Read(const std::string& path);
  // Creates the file if necessary.
  base::Status Write(const Promise& promise);
  // Syncs the file to disk.
  base::Status Sync();

 private:
  const std::string path_;
  int file_ = -1;
};

}  // namespace coppice::store
