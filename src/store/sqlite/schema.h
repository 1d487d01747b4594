#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "store/sqlite/sqlite.h"

// The tables of a database, and the migration of older formats.
namespace coppice::store {

// A row's checksum covers all of it.
uint64_t RowChecksum(std::string_view resource, std::string_view name, int64_t revision,
                     std::string_view body);

// Creates the tables, or migrates those of an older version. Writes nothing if they are current.
// `path` is for messages.
base::Status EnsureSchema(sqlite3* db, const std::string& path);

// Numbers by name: "format", and "revision", the newest revision if no object has it.
base::Result<int64_t> ReadState(sqlite3* db, const std::string& path, std::string_view key);
base::Result<Statement> PrepareWriteState(sqlite3* db);
void BindState(sqlite3_stmt* statement, std::string_view key, int64_t value);

// The bytes of a column, valid until the next step.
std::string_view ColumnText(sqlite3_stmt* row, int column);
// `text` must live until the statement has run.
void BindText(sqlite3_stmt* statement, int at, std::string_view text);

}  // namespace coppice::store
