#include "store/sqlite/load_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/log.h"
#include "store/files/damage.h"
#include "store/files/promise.h"
#include "store/sqlite/schema.h"

namespace coppice::store {
namespace {

// Finds what checksums of rows cannot: pages that are used twice or not at all, and an index that
// does not fit its table.
base::Status CheckStructure(sqlite3* db, const std::string& path) {
  COPPICE_ASSIGN(Statement check, Prepare(db, "PRAGMA integrity_check(1)"));
  if (sqlite3_step(check.get()) != SQLITE_ROW) return DatabaseError(db, "checking the database");
  const std::string_view found = ColumnText(check.get(), 0);
  return found == "ok" ? base::Status() : base::Status(Damaged(path, found));
}

bool IsWhole(sqlite3_stmt* row) {
  return sqlite3_column_type(row, 4) != SQLITE_NULL &&
         static_cast<uint64_t>(sqlite3_column_int64(row, 4)) ==
             RowChecksum(ColumnText(row, 0), ColumnText(row, 1), sqlite3_column_int64(row, 2),
                         ColumnText(row, 3));
}

class ObjectLoader {
 public:
  ObjectLoader(sqlite3* db, const std::string& path, bool accept_loss)
      : db_(db), path_(path), accept_loss_(accept_loss) {}

  base::Result<LoadedObjects> Run(const Journal::Visit& visit) {
    COPPICE_TRY(CheckOrMend());
    COPPICE_TRY(ReadRows(visit));
    COPPICE_ASSIGN(const int64_t kept, ReadState(db_, path_, "revision"));
    loaded_.revision = std::max(loaded_.revision, kept);
    COPPICE_TRY(DropLost());
    return loaded_;
  }

 private:
  base::Status CheckOrMend() {
    base::Status sound = CheckStructure(db_, path_);
    if (sound || !accept_loss_) return sound;
    base::LogWarn("rebuilding the index", {{"error", sound.error().message()}});
    COPPICE_TRY(Execute(db_, "REINDEX"));
    return CheckStructure(db_, path_);
  }

  // Rows come back in the order the store keeps them, which makes loading linear.
  base::Status ReadRows(const Journal::Visit& visit) {
    COPPICE_ASSIGN(Statement rows, Prepare(db_,
                                           "SELECT resource, name, revision, body, sum, rowid "
                                           "FROM objects ORDER BY resource, name"));
    int code;
    while ((code = sqlite3_step(rows.get())) == SQLITE_ROW) {
      if (!IsWhole(rows.get())) {
        COPPICE_TRY(Lose(rows.get()));
        continue;
      }
      const int64_t revision = sqlite3_column_int64(rows.get(), 2);
      loaded_.revision = std::max(loaded_.revision, revision);
      loaded_.live += LiveSum(revision);
      visit(ColumnText(rows.get(), 0), ColumnText(rows.get(), 1), revision,
            std::make_shared<const std::string>(ColumnText(rows.get(), 3)));
    }
    if (code == SQLITE_DONE) return {};
    return DatabaseError(db_, "loading objects");
  }

  base::Status Lose(sqlite3_stmt* row) {
    const base::Error error = Damaged(path_, fmt::format("{} {} is not what was written",
                                                         ColumnText(row, 0), ColumnText(row, 1)));
    if (!accept_loss_) return error;
    base::LogWarn("an object is lost", {{"error", error.message()}});
    lost_.push_back(sqlite3_column_int64(row, 5));
    return {};
  }

  base::Status DropLost() {
    for (const int64_t row : lost_) {
      const std::string sql = fmt::format("DELETE FROM objects WHERE rowid = {}", row);
      COPPICE_TRY(Execute(db_, sql.c_str()));
    }
    return {};
  }

  sqlite3* const db_;
  const std::string& path_;
  const bool accept_loss_;
  LoadedObjects loaded_;
  std::vector<int64_t> lost_;
};

}  // namespace

base::Result<LoadedObjects> LoadObjects(sqlite3* db, const std::string& path, bool accept_loss,
                                        const Journal::Visit& visit) {
  return ObjectLoader(db, path, accept_loss).Run(visit);
}

}  // namespace coppice::store
