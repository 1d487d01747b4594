#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "store/journal.h"

namespace coppice::store {

// A journal in one SQLite file (write-ahead log, synchronous=FULL): an entry that was committed
// survives kill -9 and power failures. Next to the file are its log (-wal) and the promise to
// clients (-promise).
//
// An unfinished transaction at the end of the log, after a crash, is dropped. Opening or loading
// fails if files are otherwise damaged, missing or do not belong together, if the revision is
// behind the promised one, or if another process uses the file. The error names the file and the
// options; nothing has been changed by then.
//
// On a full disk, deletions and writes that do not grow anything still work.
struct SqliteOptions {
  uint64_t max_bytes = 0;    // Maximum size of the file; 0: as far as the disk allows.
  bool accept_loss = false;  // Continues with what can still be read from damaged files.
};
base::Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& path,
                                                         const SqliteOptions& options = {});

// Copies a database, even while a server uses it, into a complete and consistent new file.
base::Status BackUpSqlite(const std::string& from, const std::string& to);

}  // namespace coppice::store
