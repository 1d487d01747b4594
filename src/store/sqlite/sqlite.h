#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

// Thin owners of SQLite's handles.
namespace coppice::store {

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

base::Result<Database> OpenDatabase(const std::string& path, int flags);
base::Status Execute(sqlite3* db, const char* sql);
base::Result<Statement> Prepare(sqlite3* db, const char* sql);
// The result of a statement such as "PRAGMA page_count".
base::Result<int64_t> ReadNumber(sqlite3* db, const char* sql);
// Checkpoints only on request, and keeps the log file and its space when the last connection
// closes.
void KeepLog(sqlite3* db);
// SQLite's error: kUnavailable for a full disk or a locked file, kInternal for damage.
base::Error DatabaseError(sqlite3* db, std::string_view doing);
// The same, with every form of "no space" as a full disk.
base::Error DiskFull(std::string_view doing);

}  // namespace coppice::store
