#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/files/file_header.h"

namespace coppice::store {

// What a write-ahead log holds, looked at before SQLite gets it. SQLite takes the first frame whose
// checksum is wrong for the log's end, so that a flipped bit silently undoes every transaction
// behind it.
//
// A frame that is wrong because a crash came in the middle of the last transaction, which nobody
// was told of, is the log's end indeed. It is damage where another transaction follows: that one
// was begun only when all before it was on the disk. What an earlier log left behind the end, or
// what a transaction left that was undone, does not continue the frame before it and is told apart
// by that.
struct LogReport {
  size_t committed = 0;         // Frames up to the end of the last transaction.
  int64_t committed_bytes = 0;  // The same in bytes, with the log's head.
  std::string damage;           // What is wrong; "" when nothing is, or when the end is torn.
  // The head of the database as the log has it: in its first transaction, and in its last one that
  // has it.
  std::optional<FileHeader> first, last;
};

// A log that does not exist is empty. Reads the whole file when it is not.
base::Result<LogReport> CheckLog(const std::string& path);

// What stands for the head of a log that is folded into the database entirely. SQLite begins a new
// log over it, in the room that the old one had.
std::string_view RetiredLogHead();

}  // namespace coppice::store
