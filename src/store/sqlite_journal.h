#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "store/journal.h"

namespace coppice::store {

// A journal in one SQLite file (write-ahead log, synchronous=FULL): an entry that was committed
// survives kill -9 and loss of power. A file that is damaged, of another kind, or in use by another
// process is refused when it is opened, with a message that says so.
struct SqliteOptions {
  uint64_t max_bytes = 0;  // The file grows no further; 0: as far as the disk allows.
};
base::Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& path,
                                                         const SqliteOptions& options = {});

// Copies a database, which a server may be using, into a new file that is complete and consistent.
base::Status BackUpSqlite(const std::string& from, const std::string& to);

}  // namespace coppice::store
