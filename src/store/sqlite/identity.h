#pragma once

#include <string>

#include "base/result.h"
#include "store/files/promise.h"
#include "store/sqlite/sqlite.h"

namespace coppice::store {

// Switches a database to a write-ahead log, and gives it an identity if it has none: a new one, a
// backup, one of an older version. The identity goes into the file itself rather than its log,
// which is told from others by it, and into the promise before that: a crash in between leaves a
// database that is named again at the next start. Returns the identity.
base::Result<uint32_t> EnsureIdentity(sqlite3* db, PromiseFile& promise);

}  // namespace coppice::store
