#pragma once

#include <string>

#include "base/result.h"
#include "store/files/promise.h"
#include "store/sqlite/sqlite.h"

namespace coppice::store {

// Switches a database to a write-ahead log, and gives it an identity if it has none (a new
// database, a backup, an older version). The identity is written to the promise first and then to
// the file itself, not to its log, which is matched by it. After a crash in between, the database
// gets an identity at the next start. Returns the identity.
base::Result<uint32_t> EnsureIdentity(sqlite3* db, PromiseFile& promise);

}  // namespace coppice::store
