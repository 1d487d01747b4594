#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace coppice::store {

// The two numbers of ours in the head of a database file (SQLite's application id and user
// version). They are in every copy of the first page: in the file and in its write-ahead log.
struct FileHeader {
  // Drawn when the database was created; 0 in backups and in files of older versions.
  uint32_t identity = 0;
  // Counts the times that the log was begun. The first transaction of each log carries the next
  // one, so that a log tells which state of the file it continues.
  uint32_t mark = 0;
};

inline constexpr size_t kFileHeaderBytes = 100;

// Nothing when these bytes are not the head of a database of ours.
std::optional<FileHeader> ParseFileHeader(std::string_view page);
// Nothing when the file does not exist or is empty; an error when it is no database.
// Not while this process has it open: closing the file drops SQLite's locks.
base::Result<std::optional<FileHeader>> ReadFileHeader(const std::string& path);

}  // namespace coppice::store
