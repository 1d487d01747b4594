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
  std::optional<Promise> promise;  // nullopt for a new database, a backup or an older format.
  int64_t log_bytes = 0;           // Of the log, up to the end of its last transaction.
};

// Checks the files of a database before SQLite opens them, without changing anything: they exist,
// belong together, and the log is intact. The error names the file. The contents of the database
// are checked when it is loaded.
//
// With `accept_loss`, an unusable log is moved aside (coppice.db-wal.refused), and the rest is
// used.
base::Result<FoundFiles> CheckFiles(const std::string& path, bool accept_loss);

}  // namespace coppice::store
