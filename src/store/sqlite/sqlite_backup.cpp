#include "store/files/file_lock.h"
#include "store/files/start_check.h"
#include "store/sqlite/sqlite.h"
#include "store/sqlite/sqlite_journal.h"

namespace coppice::store {
namespace {

constexpr int kWaitMilliseconds = 5000;

base::Status CopyDatabase(const std::string& from, sqlite3* source, sqlite3* target) {
  sqlite3_backup* backup = sqlite3_backup_init(target, "main", source, "main");
  if (!backup) return DatabaseError(target, "writing the backup");
  const int code = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  return code == SQLITE_DONE ? base::Status()
                             : base::Status(DatabaseError(source, "backing up " + from));
}

}  // namespace

base::Status BackUpSqlite(const std::string& from, const std::string& to) {
  // Held by a running server, which has checked its files.
  const base::Result<FileLock> lock = FileLock::Take(from + ".lock");
  if (lock) COPPICE_TRY(CheckFiles(from, false));
  COPPICE_ASSIGN(Database source, OpenDatabase(from, SQLITE_OPEN_READWRITE));
  sqlite3_busy_timeout(source.get(), kWaitMilliseconds);
  KeepLog(source.get());
  COPPICE_ASSIGN(Database target, OpenDatabase(to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  COPPICE_TRY(CopyDatabase(from, source.get(), target.get()));
  // A copy is a separate database, without a promise to clients.
  return Execute(target.get(), "PRAGMA application_id=0");
}

}  // namespace coppice::store
