#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "store/journal.h"

namespace coppice::store {

// A journal in one SQLite file (write-ahead log, synchronous=FULL): an entry that was committed
// survives kill -9 and loss of power. A file that is damaged, of another kind, or in use by another
// process is refused when it is opened, with a message that says so.
base::Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& path);

// Copies a database, which may be in use, into a new file that is complete and consistent.
base::Status BackUpSqlite(const std::string& from, const std::string& to);

}  // namespace coppice::store
