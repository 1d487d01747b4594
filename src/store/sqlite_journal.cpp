#include "store/sqlite_journal.h"

#include <fmt/format.h>

#include "base/log.h"
#include "store/checksum.h"
#include "store/file_lock.h"
#include "store/log_room.h"
#include "store/sqlite.h"

namespace coppice::store {
namespace {

// 2: every row has a checksum of its body.
constexpr int kFormat = 2;
constexpr uint64_t kPageBytes = 8192;
// In the write-ahead log a page has a head of its own, and so has the log.
constexpr int64_t kFrameBytes = kPageBytes + 24;
constexpr int64_t kLogHeadBytes = 32;
// With so many pages the log is folded into the file and written from its beginning again.
constexpr int kFoldedFrames = 4000;
// A backup and the server wait for each other only where the log is folded into the file.
constexpr int kBusyMilliseconds = 5000;

// Rows come back in the order the store keeps them, which makes loading linear.
constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS objects (
  resource TEXT NOT NULL,
  name TEXT NOT NULL,
  revision INTEGER NOT NULL,
  body BLOB NOT NULL,
  sum INTEGER,
  PRIMARY KEY (resource, name));
CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value INTEGER NOT NULL);
)";

std::string_view Text(sqlite3_stmt* row, int column) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row, column));
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(row, column))};
}

void BindText(sqlite3_stmt* statement, int at, std::string_view text) {
  sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

// Rows written before there were checksums have none.
bool IsDamaged(sqlite3_stmt* row, std::string_view body, int column) {
  return sqlite3_column_type(row, column) != SQLITE_NULL &&
         static_cast<uint64_t>(sqlite3_column_int64(row, column)) != Checksum(body);
}

class SqliteJournal final : public Journal {
 public:
  static base::Result<std::unique_ptr<Journal>> Open(const std::string& path,
                                                     const SqliteOptions& options) {
    // One process at a time: a second one would have its own idea of the newest revision. A lock of
    // our own rather than SQLite's, so that backups can read next to a running server.
    COPPICE_ASSIGN(FileLock lock, FileLock::Take(path + ".lock"));
    COPPICE_ASSIGN(Database db, OpenDatabase(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    auto journal = std::make_unique<SqliteJournal>(path, std::move(lock), std::move(db));
    const base::Status ready = journal->Prepare(options);
    if (!ready) return ready.error().During(path);
    journal->prepared_ = true;
    return std::unique_ptr<Journal>(std::move(journal));
  }

  SqliteJournal(std::string path, FileLock lock, Database db)
      : path_(std::move(path)),
        lock_(std::move(lock)),
        db_(std::move(db)),
        log_room_(path_ + "-wal") {}

  // Gives back what deleted objects have left, up to some eighty megabytes each time.
  ~SqliteJournal() override {
    if (!prepared_) return;
    const base::Status trimmed = Execute(db_.get(), "PRAGMA incremental_vacuum(10000)");
    if (!trimmed)
      base::LogWarn("the database was not compacted", {{"error", trimmed.error().ToString()}});
  }

  base::Result<int64_t> Load(const Visit& visit) override {
    base::Result<int64_t> newest = LoadAll(visit);
    if (!newest) return newest.error().During(path_);
    return newest;
  }

  base::Status Commit(std::span<const JournalEntry> entries) override {
    if (!broken_.ok()) return broken_;
    log_room_.Ensure(kLogHeadBytes + log_frames_ * kFrameBytes);
    COPPICE_TRY(Run(begin_.get()));
    base::Status status = WriteAll(entries);
    if (status) status = Run(commit_.get());
    if (!status && sqlite3_get_autocommit(db_.get()) == 0) {
      const base::Status undone = Execute(db_.get(), "ROLLBACK");
      if (!undone) broken_ = undone;  // What the file holds is unknown: accept nothing more.
    }
    return status;
  }

 private:
  base::Result<int64_t> LoadAll(const Visit& visit) {
    COPPICE_ASSIGN(Statement rows, store::Prepare(db_.get(),
                                                  "SELECT resource, name, revision, body, sum "
                                                  "FROM objects ORDER BY resource, name"));
    int64_t newest = 0;
    int code;
    while ((code = sqlite3_step(rows.get())) == SQLITE_ROW) {
      const int64_t revision = sqlite3_column_int64(rows.get(), 2);
      newest = std::max(newest, revision);
      const std::string_view body = Text(rows.get(), 3);
      if (IsDamaged(rows.get(), body, 4)) return Damaged(rows.get());
      visit(Text(rows.get(), 0), Text(rows.get(), 1), revision,
            std::make_shared<const std::string>(body));
    }
    if (code != SQLITE_DONE) return DatabaseError(db_.get(), "loading objects");
    COPPICE_ASSIGN(const int64_t kept, ReadState("revision"));
    return std::max(newest, kept);
  }

  static base::Error Damaged(sqlite3_stmt* row) {
    return base::Internal(
        fmt::format("the database file is damaged: {} {} is not what was written; restore a "
                    "backup, or move the file away to start empty",
                    Text(row, 0), Text(row, 1)));
  }

  base::Status Prepare(const SqliteOptions& options) {
    sqlite3_busy_timeout(db_.get(), kBusyMilliseconds);
    COPPICE_TRY(Execute(db_.get(), fmt::format("PRAGMA page_size={}", kPageBytes).c_str()));
    COPPICE_TRY(Execute(db_.get(), "PRAGMA auto_vacuum=INCREMENTAL"));
    COPPICE_TRY(Execute(db_.get(), "PRAGMA journal_mode=WAL"));
    COPPICE_TRY(Execute(db_.get(), "PRAGMA synchronous=FULL"));
    COPPICE_TRY(Execute(db_.get(), "PRAGMA mmap_size=1073741824"));
    sqlite3_wal_hook(db_.get(), &SqliteJournal::OnCommitted, this);
    COPPICE_TRY(Execute(db_.get(), kSchema));
    COPPICE_ASSIGN(const int64_t format, ReadState("format"));
    if (format > kFormat) {
      return base::InvalidArgument(
          fmt::format("the database was written by a newer version (format {}, this one reads {})",
                      format, kFormat));
    }
    if (format == 1) {
      COPPICE_TRY(Execute(db_.get(), "ALTER TABLE objects ADD COLUMN sum INTEGER"));
    }
    if (options.max_bytes > 0) {
      const uint64_t pages = std::max<uint64_t>(options.max_bytes / kPageBytes, 1);
      COPPICE_TRY(Execute(db_.get(), fmt::format("PRAGMA max_page_count={}", pages).c_str()));
    }
    COPPICE_ASSIGN(begin_, store::Prepare(db_.get(), "BEGIN IMMEDIATE"));
    COPPICE_ASSIGN(commit_, store::Prepare(db_.get(), "COMMIT"));
    COPPICE_ASSIGN(put_, store::Prepare(db_.get(),
                                        "INSERT INTO objects VALUES (?, ?, ?, ?, ?) ON "
                                        "CONFLICT (resource, name) DO UPDATE SET revision = "
                                        "excluded.revision, body = excluded.body, sum = "
                                        "excluded.sum"));
    COPPICE_ASSIGN(
        remove_, store::Prepare(db_.get(), "DELETE FROM objects WHERE resource = ? AND name = ?"));
    COPPICE_ASSIGN(set_, store::Prepare(db_.get(),
                                        "INSERT INTO state VALUES (?, ?) ON CONFLICT "
                                        "(key) DO UPDATE SET value = excluded.value"));
    return format == kFormat ? base::Status() : WriteState("format", kFormat);
  }

  // After each transaction. What is not folded now, since a backup reads it or the disk is full, is
  // tried again after the next.
  static int OnCommitted(void* self, sqlite3* db, const char* name, int frames) {
    static_cast<SqliteJournal*>(self)->log_frames_ = frames;
    if (frames >= kFoldedFrames) {
      sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    }
    return SQLITE_OK;
  }

  base::Status WriteAll(std::span<const JournalEntry> entries) {
    for (const JournalEntry& entry : entries) {
      sqlite3_stmt* statement = entry.version ? put_.get() : remove_.get();
      BindText(statement, 1, entry.resource);
      BindText(statement, 2, entry.name);
      if (entry.version) {
        const std::string& bytes = *entry.version->bytes();
        sqlite3_bind_int64(statement, 3, entry.revision);
        sqlite3_bind_blob(statement, 4, bytes.data(), static_cast<int>(bytes.size()),
                          SQLITE_STATIC);
        sqlite3_bind_int64(statement, 5, static_cast<int64_t>(Checksum(bytes)));
      }
      COPPICE_TRY(Run(statement));
    }
    // Deletions leave no row behind to carry their revision.
    const bool last_deletes = !entries.empty() && !entries.back().version;
    return last_deletes ? WriteState("revision", entries.back().revision) : base::Status();
  }

  base::Status Run(sqlite3_stmt* statement) {
    const int code = sqlite3_step(statement);
    base::Status status;
    if (code != SQLITE_DONE) status = DatabaseError(db_.get(), "writing the database");
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
  }

  base::Status WriteState(const char* key, int64_t value) {
    BindText(set_.get(), 1, key);
    sqlite3_bind_int64(set_.get(), 2, value);
    return Run(set_.get());
  }

  base::Result<int64_t> ReadState(const char* key) {
    COPPICE_ASSIGN(Statement row,
                   store::Prepare(db_.get(), "SELECT value FROM state WHERE key = ?"));
    BindText(row.get(), 1, key);
    const int code = sqlite3_step(row.get());
    if (code == SQLITE_ROW) return static_cast<int64_t>(sqlite3_column_int64(row.get(), 0));
    if (code == SQLITE_DONE) return int64_t{0};
    return DatabaseError(db_.get(), "reading the database");
  }

  const std::string path_;
  bool prepared_ = false;
  FileLock lock_;  // Before the database, which must be closed under it.
  Database db_;    // Before the statements, which must go first.
  Statement begin_, commit_, put_, remove_, set_;
  LogRoom log_room_;
  int64_t log_frames_ = 0;  // Written to the log since it was last begun.
  base::Status broken_;
};

}  // namespace

base::Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& path,
                                                         const SqliteOptions& options) {
  return SqliteJournal::Open(path, options);
}

base::Status BackUpSqlite(const std::string& from, const std::string& to) {
  COPPICE_ASSIGN(Database source, OpenDatabase(from, SQLITE_OPEN_READWRITE));
  sqlite3_busy_timeout(source.get(), kBusyMilliseconds);
  COPPICE_ASSIGN(Database target, OpenDatabase(to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  sqlite3_backup* backup = sqlite3_backup_init(target.get(), "main", source.get(), "main");
  if (!backup) return DatabaseError(target.get(), "backing up to " + to);
  const int code = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE) return DatabaseError(source.get(), "backing up " + from);
  return {};
}

}  // namespace coppice::store
