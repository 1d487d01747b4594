#include "store/sqlite/sqlite_journal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "store/files/damage.h"
#include "store/files/file_lock.h"
#include "store/files/file_room.h"
#include "store/files/log_room.h"
#include "store/files/promise.h"
#include "store/files/start_check.h"
#include "store/sqlite/identity.h"
#include "store/sqlite/load_objects.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite.h"

namespace coppice::store {
namespace {

constexpr int64_t kPageBytes = 8192;
// In the write-ahead log each page has a header, and so has the log.
constexpr int64_t kFrameBytes = kPageBytes + 24;
constexpr int64_t kLogHeadBytes = 32;
// With so many pages the log is folded into the file and written from its beginning again.
constexpr int64_t kFoldedFrames = 4000;
// With room for so much there is room for more, whatever was refused.
constexpr int64_t kRoomPages = 32;
// A backup and the server wait for each other only where the log is folded into the file.
constexpr int kBusyMilliseconds = 5000;

int64_t PagesOf(std::span<const JournalEntry> entries) {
  int64_t pages = 0;
  for (const JournalEntry& entry : entries) {
    if (entry.version)
      pages += static_cast<int64_t>(entry.version->bytes()->size()) / kPageBytes + 2;
  }
  return pages;
}

class SqliteJournal final : public Journal {
 public:
  static base::Result<std::unique_ptr<Journal>> Open(const std::string& path,
                                                     const SqliteOptions& options) {
    // One process at a time: a second one would have another newest revision. Our own lock rather
    // than SQLite's, so that backups can read next to a running server.
    COPPICE_ASSIGN(FileLock lock, FileLock::Take(path + ".lock"));
    COPPICE_ASSIGN(FoundFiles found, CheckFiles(path, options.accept_loss));
    COPPICE_ASSIGN(Database db, OpenDatabase(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    auto journal =
        std::make_unique<SqliteJournal>(path, options, found, std::move(lock), std::move(db));
    base::Status ready = journal->Prepare();
    if (!ready && ready.Is(base::ErrorCode::kUnavailable)) {
      journal->log_room_.GiveBack(found.log_bytes);
      ready = journal->Prepare();
    }
    if (!ready) return ready.error().During(path);
    return std::unique_ptr<Journal>(std::move(journal));
  }

  SqliteJournal(std::string path, const SqliteOptions& options, const FoundFiles& found,
                FileLock lock, Database db)
      : path_(std::move(path)),
        options_(options),
        found_(found),
        lock_(std::move(lock)),
        file_room_(path_, kPageBytes),
        db_(std::move(db)),
        promise_file_(PromisePath(path_)),
        log_room_(LogPath(path_)),
        log_frames_(found.log_bytes / kFrameBytes) {}

  ~SqliteJournal() override {
    if (!loaded_ || !broken_.ok()) return;
    const base::Status trimmed = Trim();
    if (!trimmed) {
      base::LogWarn("the database was not compacted", {{"error", trimmed.error().ToString()}});
    }
    // Where a backup still reads the log, it stays as it is.
    sqlite3_busy_timeout(db_.get(), 0);
    const bool folded = Fold(SQLITE_CHECKPOINT_RESTART);
    for (Statement* each : {&begin_, &commit_, &put_, &remove_, &set_, &pages_}) each->reset();
    db_.reset();
    if (folded) log_room_.Retire();
  }

  base::Result<int64_t> Load(const Visit& visit) override {
    // The repair may be the first transaction in the log.
    if (options_.accept_loss) COPPICE_TRY(WriteMark());
    COPPICE_ASSIGN(const LoadedObjects found,
                   LoadObjects(db_.get(), path_, options_.accept_loss, visit));
    const base::Status kept = CheckPromised(found);
    if (!kept) COPPICE_TRY(AcceptLoss(kept.error()));
    promise_.revision = std::max(found.revision, promise_.revision);
    promise_.live = found.live;
    COPPICE_TRY(promise_file_.Write(promise_));
    loaded_ = true;
    log_room_.HasBegun();
    (void)Fold(SQLITE_CHECKPOINT_PASSIVE);
    return promise_.revision;
  }

  base::Status Commit(std::span<const JournalEntry> entries) override {
    COPPICE_CHECK(loaded_);
    if (!broken_.ok()) return broken_;
    // The disk has no room for a longer log: restart the existing one.
    if (!log_room_.Ensure(kLogHeadBytes + log_frames_ * kFrameBytes) && !folded_) {
      (void)Fold(SQLITE_CHECKPOINT_PASSIVE);
    }
    COPPICE_TRY(Run(begin_.get()));
    base::Status status = WriteAll(entries);
    if (status) status = Run(commit_.get());
    if (!status) {
      Undo();
      refused_pages_ = std::min(PagesOf(entries), kRoomPages);
      return status;
    }
    Committed(entries);
    return {};
  }

  base::Status MakeRoom() override {
    if (!broken_.ok()) return broken_;
    COPPICE_ASSIGN(const int64_t unused, ReadNumber(db_.get(), "PRAGMA freelist_count"));
    const int64_t wanted = page_count_ + refused_pages_;
    if (unused >= refused_pages_ || (wanted <= max_pages_ && file_room_.Hold(wanted, true)))
      return {};
    return DiskFull("making room for more objects");
  }

 private:
  base::Status Prepare() {
    sqlite3_busy_timeout(db_.get(), kBusyMilliseconds);
    sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    COPPICE_TRY(Execute(db_.get(), fmt::format("PRAGMA page_size={}", kPageBytes).c_str()));
    COPPICE_TRY(Execute(db_.get(), "PRAGMA auto_vacuum=INCREMENTAL"));
    COPPICE_TRY(Execute(db_.get(), "PRAGMA synchronous=FULL"));
    COPPICE_ASSIGN(promise_.identity, EnsureIdentity(db_.get(), promise_file_));
    COPPICE_TRY(TakePromise());
    KeepLog(db_.get());
    COPPICE_TRY(Execute(db_.get(), "PRAGMA mmap_size=1073741824"));
    sqlite3_wal_autocheckpoint(db_.get(), 0);
    sqlite3_wal_hook(db_.get(), &SqliteJournal::OnCommitted, this);
    COPPICE_TRY(EnsureSchema(db_.get(), path_));
    if (options_.max_bytes > 0) {
      max_pages_ = std::max<int64_t>(static_cast<int64_t>(options_.max_bytes) / kPageBytes, 1);
      COPPICE_TRY(Execute(db_.get(), fmt::format("PRAGMA max_page_count={}", max_pages_).c_str()));
      file_room_.SetLimit(max_pages_);
    }
    COPPICE_TRY(PrepareStatements());
    COPPICE_ASSIGN(page_count_, PageCount());
    return {};
  }

  // A promise of nothing was made for a database that a crash kept from being created.
  base::Status TakePromise() {
    if (!found_.promise) return {};
    if (found_.promise->identity == promise_.identity) {
      promise_ = *found_.promise;
    } else if (found_.promise->revision > 0) {
      return Damaged(PromisePath(path_), "it speaks of another database than " + path_);
    }
    return {};
  }

  base::Status PrepareStatements() {
    COPPICE_ASSIGN(begin_, store::Prepare(db_.get(), "BEGIN IMMEDIATE"));
    COPPICE_ASSIGN(commit_, store::Prepare(db_.get(), "COMMIT"));
    COPPICE_ASSIGN(put_, store::Prepare(db_.get(),
                                        "INSERT INTO objects VALUES (?, ?, ?, ?, ?) ON "
                                        "CONFLICT (resource, name) DO UPDATE SET revision = "
                                        "excluded.revision, body = excluded.body, sum = "
                                        "excluded.sum"));
    COPPICE_ASSIGN(
        remove_, store::Prepare(db_.get(), "DELETE FROM objects WHERE resource = ? AND name = ?"));
    COPPICE_ASSIGN(set_, PrepareWriteState(db_.get()));
    COPPICE_ASSIGN(pages_, store::Prepare(db_.get(), "PRAGMA page_count"));
    return {};
  }

  base::Status CheckPromised(const LoadedObjects& found) const {
    if (found.revision < promise_.revision) {
      return Damaged(path_, fmt::format("its newest revision is {}, and {} was acknowledged",
                                        found.revision, promise_.revision));
    }
    if (found.revision > promise_.revision || found.live == promise_.live) return {};
    return Damaged(path_, "objects that were acknowledged are missing, or deleted ones are back");
  }

  // Revisions that clients have seen are not given to other objects.
  base::Status AcceptLoss(const base::Error& error) {
    if (!options_.accept_loss) return error;
    base::LogWarn("data loss was accepted", {{"error", error.message()}});
    BindState(set_.get(), "revision", promise_.revision);
    return Run(set_.get());
  }

  // After each transaction.
  static int OnCommitted(void* self, sqlite3*, const char*, int frames) {
    static_cast<SqliteJournal*>(self)->log_frames_ = frames;
    return SQLITE_OK;
  }

  // True when all of the log is in the file: the next transaction then restarts it, unless a backup
  // reads it. What is not checkpointed now, because a backup reads it or the disk is full, is
  // retried after the next transaction.
  bool Fold(int mode) {
    int frames = 0, done = 0;
    const int code = sqlite3_wal_checkpoint_v2(db_.get(), "main", mode, &frames, &done);
    folded_ = code == SQLITE_OK && frames == done;
    if (!folded_) return false;
    file_room_.Forget();
    if (mode == SQLITE_CHECKPOINT_PASSIVE) (void)file_room_.Hold(page_count_, true);
    const base::Status kept = promise_file_.Sync();
    if (!kept) base::LogWarn("promise not synced to disk", {{"error", kept.error().message()}});
    return true;
  }

  base::Status WriteAll(std::span<const JournalEntry> entries) {
    for (const JournalEntry& entry : entries) COPPICE_TRY(Write(entry));
    // Deletions leave no row behind to carry their revision.
    if (!entries.empty() && !entries.back().version) {
      BindState(set_.get(), "revision", entries.back().revision);
      COPPICE_TRY(Run(set_.get()));
    }
    if (folded_) COPPICE_TRY(WriteMark());
    COPPICE_ASSIGN(new_page_count_, PageCount());
    return new_page_count_ <= page_count_ ? base::Status() : HoldPages(entries, new_page_count_);
  }

  base::Status Write(const JournalEntry& entry) {
    sqlite3_stmt* statement = entry.version ? put_.get() : remove_.get();
    BindText(statement, 1, entry.resource);
    BindText(statement, 2, entry.name);
    if (entry.version) {
      const std::string& bytes = *entry.version->bytes();
      const uint64_t sum = RowChecksum(entry.resource, entry.name, entry.revision, bytes);
      sqlite3_bind_int64(statement, 3, entry.revision);
      sqlite3_bind_blob(statement, 4, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
      sqlite3_bind_int64(statement, 5, static_cast<int64_t>(sum));
    }
    return Run(statement);
  }

  // The log that may begin with this transaction says which state of the file it continues.
  base::Status WriteMark() {
    COPPICE_ASSIGN(const int64_t mark, ReadNumber(db_.get(), "PRAGMA user_version"));
    return Execute(db_.get(), fmt::format("PRAGMA user_version={}", mark + 1).c_str());
  }

  // The spare pages are for deletions.
  base::Status HoldPages(std::span<const JournalEntry> entries, int64_t pages) {
    const bool adds = std::any_of(entries.begin(), entries.end(),
                                  [](const JournalEntry& entry) { return entry.version; });
    return file_room_.Hold(pages, adds) ? base::Status()
                                        : base::Status(DiskFull("writing the database"));
  }

  void Undo() {
    if (sqlite3_extended_errcode(db_.get()) == SQLITE_IOERR_FSYNC) {
      broken_ =
          DatabaseError(db_.get(), "writing the database");  // What is on the disk is unknown.
    }
    if (sqlite3_get_autocommit(db_.get()) != 0) return;
    const base::Status undone = Execute(db_.get(), "ROLLBACK");
    if (!undone) broken_ = undone;  // What the file holds is unknown: accept nothing more.
  }

  void Committed(std::span<const JournalEntry> entries) {
    page_count_ = new_page_count_;
    if (folded_) folded_ = !log_room_.HasBegun();
    for (const JournalEntry& entry : entries) {
      promise_.revision = entry.revision;
      promise_.live -= LiveSum(entry.replaced);
      if (entry.version) promise_.live += LiveSum(entry.revision);
    }
    const base::Status kept = promise_file_.Write(promise_);
    if (!kept) base::LogWarn("the promise was not written", {{"error", kept.error().message()}});
    if (log_frames_ >= kFoldedFrames) (void)Fold(SQLITE_CHECKPOINT_PASSIVE);
  }

  // Releases the space of deleted objects, up to about eighty megabytes each time.
  base::Status Trim() {
    COPPICE_ASSIGN(const int64_t unused, ReadNumber(db_.get(), "PRAGMA freelist_count"));
    if (unused == 0) return {};
    COPPICE_TRY(Run(begin_.get()));
    COPPICE_TRY(Execute(db_.get(), "PRAGMA incremental_vacuum(10000)"));
    COPPICE_TRY(WriteMark());
    return Run(commit_.get());
  }

  base::Result<int64_t> PageCount() {
    const int code = sqlite3_step(pages_.get());
    const int64_t pages = code == SQLITE_ROW ? sqlite3_column_int64(pages_.get(), 0) : 0;
    sqlite3_reset(pages_.get());
    if (code != SQLITE_ROW) return DatabaseError(db_.get(), "reading the database");
    return pages;
  }

  base::Status Run(sqlite3_stmt* statement) {
    const int code = sqlite3_step(statement);
    base::Status status;
    if (code != SQLITE_DONE) status = DatabaseError(db_.get(), "writing the database");
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
  }

  const std::string path_;
  const SqliteOptions options_;
  const FoundFiles found_;
  FileLock lock_;  // Before the database, which must be closed under it.
  FileRoom file_room_;
  Database db_;  // Before the statements, which must go first.
  Statement begin_, commit_, put_, remove_, set_, pages_;
  Promise promise_;
  PromiseFile promise_file_;
  LogRoom log_room_;
  bool loaded_ = false;
  bool folded_ = false;         // The next transaction may restart the log.
  int64_t log_frames_;          // Written to the log since it was last begun.
  int64_t page_count_ = 0;      // Of the database, as it was last committed.
  int64_t new_page_count_ = 0;  // The same including the current transaction.
  int64_t max_pages_ = INT64_MAX;
  int64_t refused_pages_ = 0;  // What the last write that failed would have needed.
  base::Status broken_;
};

}  // namespace

base::Result<std::unique_ptr<Journal>> OpenSqliteJournal(const std::string& path,
                                                         const SqliteOptions& options) {
  return SqliteJournal::Open(path, options);
}

}  // namespace coppice::store
