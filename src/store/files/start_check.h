#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "store/files/promise.h"

namespace coppice::store {

// The files of a database at `path`.
inline std::string LogPath(const std::string& path) { return path + "-wal"; }
inline std::string PromisePath(const std::string& path) { return path + "-promise"; }

struct FoundFiles {
  std::optional<Promise> promise;  // Nothing for a new database, a backup, an older format.
  int64_t log_bytes = 0;           // Of the log, up to the end of its last transaction.
};

// Looks at the files of a database before SQLite does, and changes nothing: that they are there,
// belong to each other, and that the log is whole. The error names the file. What is inside of the
// database is checked when it is loaded.
//
// With `accept_loss` what cannot be used is moved aside (coppice.db-wal.refused), the rest taken.
base::Result<FoundFiles> CheckFiles(const std::string& path, bool accept_loss);

}  // namespace coppice::store
