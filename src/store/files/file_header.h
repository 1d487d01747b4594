#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace coppice::store {

// Our two numbers in the header of a database file (SQLite's application id and user version). They
// are in every copy of the first page: in the file and in its write-ahead log.
struct FileHeader {
  // Random, set when the database was created; 0 in backups and in files of older versions.
  uint32_t identity = 0;
  // Counts how often the log was restarted. The first transaction of each log contains the next
  // number, so a log identifies the state of the file that it continues.
  uint32_t mark = 0;
};

inline constexpr size_t kFileHeaderBytes = 100;

// nullopt if these bytes are not the header of one of our databases.
std::optional<FileHeader> ParseFileHeader(std::string_view page);
// nullopt if the file does not exist or is empty; an error if it is not a database. Must not be
// called while this process has it open: closing the file drops SQLite's locks.
base::Result<std::optional<FileHeader>> ReadFileHeader(const std::string& path);

}  // namespace coppice::store
