#include "store/sqlite/schema.h"

#include <fmt/format.h>

#include <string>

#include "store/files/checksum.h"
#include "store/files/damage.h"

namespace coppice::store {
namespace {

// 2: every row has a checksum of its body. 3: of the whole row, and so has the state.
constexpr int64_t kFormat = 3;

constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS objects (
  resource TEXT NOT NULL,
  name TEXT NOT NULL,
  revision INTEGER NOT NULL,
  body BLOB NOT NULL,
  sum INTEGER,
  PRIMARY KEY (resource, name));
CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value INTEGER NOT NULL, sum INTEGER);
)";

uint64_t StateChecksum(std::string_view key, int64_t value) {
  return MixChecksum(Checksum(key), static_cast<uint64_t>(value));
}

void BodySum(sqlite3_context* context, int, sqlite3_value** values) {
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(values[0]));
  const auto size = static_cast<size_t>(sqlite3_value_bytes(values[0]));
  sqlite3_result_int64(context, static_cast<int64_t>(Checksum({bytes, size})));
}

std::string_view ValueText(sqlite3_value* value) {
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
  return {bytes, static_cast<size_t>(sqlite3_value_bytes(value))};
}

void RowSum(sqlite3_context* context, int, sqlite3_value** values) {
  sqlite3_result_int64(context, static_cast<int64_t>(RowChecksum(
                                    ValueText(values[0]), ValueText(values[1]),
                                    sqlite3_value_int64(values[2]), ValueText(values[3]))));
}

bool HasColumn(sqlite3* db, const char* table, const char* column) {
  return sqlite3_table_column_metadata(db, "main", table, column, nullptr, nullptr, nullptr,
                                       nullptr, nullptr) == SQLITE_OK;
}

// Sums of format 2, which covered the body alone, must still be right.
base::Status CheckOldSums(sqlite3* db, const std::string& path) {
  COPPICE_ASSIGN(Statement row, Prepare(db,
                                        "SELECT resource, name FROM objects WHERE sum IS NOT NULL "
                                        "AND sum != body_sum(body) LIMIT 1"));
  const int code = sqlite3_step(row.get());
  if (code == SQLITE_DONE) return {};
  if (code != SQLITE_ROW) return DatabaseError(db, "reading the database");
  return Damaged(path, fmt::format("{} {} is not what was written", ColumnText(row.get(), 0),
                                   ColumnText(row.get(), 1)));
}

base::Status SumAllRows(sqlite3* db, const std::string& path) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  sqlite3_create_function(db, "body_sum", 1, kFlags, nullptr, &BodySum, nullptr, nullptr);
  sqlite3_create_function(db, "row_sum", 4, kFlags, nullptr, &RowSum, nullptr, nullptr);
  if (!HasColumn(db, "objects", "sum")) {
    COPPICE_TRY(Execute(db, "ALTER TABLE objects ADD COLUMN sum INTEGER"));
  }
  COPPICE_TRY(CheckOldSums(db, path));
  return Execute(db, "UPDATE objects SET sum = row_sum(resource, name, revision, body)");
}

base::Status WriteState(sqlite3* db, std::string_view key, int64_t value) {
  COPPICE_ASSIGN(Statement set, PrepareWriteState(db));
  BindState(set.get(), key, value);
  if (sqlite3_step(set.get()) == SQLITE_DONE) return {};
  return DatabaseError(db, "writing the database");
}

base::Status MigrateFrom(sqlite3* db, const std::string& path, int64_t format) {
  if (format == 1 || format == 2) {
    COPPICE_TRY(SumAllRows(db, path));
    if (!HasColumn(db, "state", "sum")) {
      COPPICE_TRY(Execute(db, "ALTER TABLE state ADD COLUMN sum INTEGER"));
    }
    COPPICE_ASSIGN(const int64_t revision, ReadState(db, path, "revision"));
    COPPICE_TRY(WriteState(db, "revision", revision));
  }
  return WriteState(db, "format", kFormat);
}

base::Status EnsureTables(sqlite3* db, const std::string& path) {
  COPPICE_TRY(Execute(db, kTables));
  COPPICE_ASSIGN(const int64_t format, ReadState(db, path, "format"));
  if (format > kFormat) {
    return base::InvalidArgument(
        fmt::format("the database was written by a newer version (format {}, this one reads {})",
                    format, kFormat));
  }
  return format == kFormat ? base::Status() : MigrateFrom(db, path, format);
}

}  // namespace

uint64_t RowChecksum(std::string_view resource, std::string_view name, int64_t revision,
                     std::string_view body) {
  const uint64_t key = MixChecksum(Checksum(resource), Checksum(name));
  return MixChecksum(MixChecksum(key, static_cast<uint64_t>(revision)), Checksum(body));
}

base::Status EnsureSchema(sqlite3* db, const std::string& path) {
  // One transaction: there are never tables without their format.
  COPPICE_TRY(Execute(db, "BEGIN"));
  const base::Status ensured = EnsureTables(db, path);
  if (ensured) return Execute(db, "COMMIT");
  (void)Execute(db, "ROLLBACK").ok();
  return ensured;
}

base::Result<int64_t> ReadState(sqlite3* db, const std::string& path, std::string_view key) {
  const bool summed = HasColumn(db, "state", "sum");
  COPPICE_ASSIGN(Statement row, Prepare(db, summed ? "SELECT value, sum FROM state WHERE key = ?"
                                                   : "SELECT value FROM state WHERE key = ?"));
  BindText(row.get(), 1, key);
  const int code = sqlite3_step(row.get());
  if (code == SQLITE_DONE) return int64_t{0};
  if (code != SQLITE_ROW) return DatabaseError(db, "reading the database");
  const int64_t value = sqlite3_column_int64(row.get(), 0);
  // During a migration the column exists before its checksums do.
  if (summed && sqlite3_column_type(row.get(), 1) != SQLITE_NULL &&
      static_cast<uint64_t>(sqlite3_column_int64(row.get(), 1)) != StateChecksum(key, value)) {
    return Damaged(path, fmt::format("its {} is not what was written", key));
  }
  return value;
}

base::Result<Statement> PrepareWriteState(sqlite3* db) {
  return Prepare(db,
                 "INSERT INTO state VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = "
                 "excluded.value, sum = excluded.sum");
}

void BindState(sqlite3_stmt* statement, std::string_view key, int64_t value) {
  BindText(statement, 1, key);
  sqlite3_bind_int64(statement, 2, value);
  sqlite3_bind_int64(statement, 3, static_cast<int64_t>(StateChecksum(key, value)));
}

std::string_view ColumnText(sqlite3_stmt* row, int column) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row, column));
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(row, column))};
}

void BindText(sqlite3_stmt* statement, int at, std::string_view text) {
  sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

}  // namespace coppice::store
