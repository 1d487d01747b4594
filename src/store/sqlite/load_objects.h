#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/journal.h"
#include "store/sqlite/sqlite.h"

namespace coppice::store {

struct LoadedObjects {
  int64_t revision = 0;  // The newest one ever committed.
  uint64_t live = 0;     // The sum of LiveSum over all objects.
};

// Reads a whole database and checks all of it: its structure, and every row against its checksum.
// With `accept_loss`, damaged rows are deleted instead, and indexes are rebuilt.
base::Result<LoadedObjects> LoadObjects(sqlite3* db, const std::string& path, bool accept_loss,
                                        const Journal::Visit& visit);

}  // namespace coppice::store
