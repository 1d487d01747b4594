#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/files/file_header.h"

namespace coppice::store {

// Checks a write-ahead log before SQLite opens it. SQLite treats the first frame with a wrong
// checksum as the end of the log, so a flipped bit would silently undo every transaction after it.
//
// A frame that is wrong because of a crash during the last, unacknowledged transaction really is
// the end of the log. It is damage if another transaction follows, because that one started only
// after everything before it was on disk. Remains of an earlier log or of a rolled-back transaction
// are recognized because they do not continue the frame before them.
struct LogReport {
  size_t committed = 0;         // Frames up to the end of the last transaction.
  int64_t committed_bytes = 0;  // The same in bytes, including the log's header.
  std::string damage;           // What is wrong; "" if nothing is, or if only the end is torn.
  // The database header in the log: in its first transaction, and in the last one that contains it.
  std::optional<FileHeader> first, last;
};

// A log that does not exist counts as empty. Otherwise reads the whole file.
base::Result<LogReport> CheckLog(const std::string& path);

// The header of a fully checkpointed log. SQLite starts a new log over it, in the space of the old
// one.
std::string_view RetiredLogHead();

}  // namespace coppice::store
