#include "store/sqlite/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/files/damage.h"

namespace coppice::store {
namespace {

// The file contains Secrets: only its owner may read it. SQLite would create it with the umask, and
// gives the files next to it the same permissions. Errors here are ignored, because SQLite will
// report them again.
void KeepToOwner(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return;
  (void)fchmod(file, S_IRUSR | S_IWUSR);
  close(file);
}

}  // namespace

base::Error DiskFull(std::string_view doing) {
  return base::Unavailable(fmt::format("{}: the disk is full", doing));
}

base::Error DatabaseError(sqlite3* db, std::string_view doing) {
  const int code = sqlite3_errcode(db) & 0xff;
  const char* text = sqlite3_errmsg(db);
  switch (code) {
    case SQLITE_FULL:
      return DiskFull(doing);
    case SQLITE_IOERR:
      return base::Unavailable(fmt::format("{}: {}", doing, text));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return base::Unavailable(fmt::format("{}: the database is in use by another process", doing));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Damaged(sqlite3_db_filename(db, "main"), fmt::format("{}: {}", doing, text));
    default:
      return base::Internal(fmt::format("{}: {}", doing, text));
  }
}

base::Result<Database> OpenDatabase(const std::string& path, int flags) {
  if (flags & SQLITE_OPEN_CREATE) KeepToOwner(path);
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database db(raw);
  if (code != SQLITE_OK) return DatabaseError(raw, "opening " + path);
  return db;
}

base::Status Execute(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return DatabaseError(db, "writing the database");
}

base::Result<Statement> Prepare(sqlite3* db, const char* sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(db, sql, -1, &raw, nullptr) != SQLITE_OK) {
    return DatabaseError(db, "reading the database");
  }
  return Statement(raw);
}

base::Result<int64_t> ReadNumber(sqlite3* db, const char* sql) {
  COPPICE_ASSIGN(Statement row, Prepare(db, sql));
  if (sqlite3_step(row.get()) != SQLITE_ROW) return DatabaseError(db, "reading the database");
  return static_cast<int64_t>(sqlite3_column_int64(row.get(), 0));
}

void KeepLog(sqlite3* db) {
  int on = 1;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

}  // namespace coppice::store
