#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "store/journal.h"

namespace coppice::store {

// A journal in one SQLite file (write-ahead log, synchronous=FULL): an entry that was committed
// survives kill -9 and loss of power. Beside the file lie its log (-wal) and what was promised to
// clients (-promise).
//
// What a crash left unfinished at the log's end is dropped. Files that are damaged otherwise, that
// are missing or do not belong together, and a revision behind the promised one are refused when
// they are opened or loaded, with a message that names the file and the way out; so is a file that
// another process uses. Nothing has been changed by then.
//
// On a full disk deletions go on, and so do writes that make nothing larger.
struct SqliteOptions {
  uint64_t max_bytes = 0;    // The file grows no further; 0: as far as the disk allows.
  bool accept_loss = false;  // Goes on with what can still be read of damaged files.
};
base::Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& path,
                                                         const SqliteOptions& options = {});

// Copies a database, which a server may be using, into a new file that is complete and consistent.
base::Status BackUpSqlite(const std::string& from, const std::string& to);

}  // namespace coppice::store
