#include "store/sqlite/identity.h"

#include <fmt/format.h>

#include <random>

namespace coppice::store {
namespace {

// Positive as SQLite's number of 32 bits.
uint32_t DrawIdentity() {
  std::random_device device;
  return static_cast<uint32_t>(device()) % 0x7ffffffe + 1;
}

}  // namespace

base::Result<uint32_t> EnsureIdentity(sqlite3* db, PromiseFile& promise) {
  COPPICE_ASSIGN(const int64_t found, ReadNumber(db, "PRAGMA application_id"));
  auto identity = static_cast<uint32_t>(found);
  if (identity == 0) {
    identity = DrawIdentity();
    COPPICE_TRY(promise.Write({.identity = identity}));
    COPPICE_TRY(promise.Sync());
    COPPICE_ASSIGN(const int64_t pages, ReadNumber(db, "PRAGMA page_count"));
    COPPICE_TRY(Execute(db, "PRAGMA journal_mode=DELETE"));
    // The switch to a write-ahead log syncs the file, which is enough where nothing is in it yet.
    if (pages == 0) COPPICE_TRY(Execute(db, "PRAGMA synchronous=OFF"));
    COPPICE_TRY(Execute(db, fmt::format("PRAGMA application_id={}", identity).c_str()));
    COPPICE_TRY(Execute(db, "PRAGMA synchronous=FULL"));
  }
  COPPICE_TRY(Execute(db, "PRAGMA journal_mode=WAL"));
  return identity;
}

}  // namespace coppice::store
