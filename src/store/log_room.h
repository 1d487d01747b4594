#pragma once

#include <cstdint>
#include <string>

namespace coppice::store {

// Keeps the end of a write-ahead log ahead of what is written to it. Syncing a file that grows also
// commits the file system's own journal, which takes longer than the bytes do; overwriting zeros
// that are there already does not. SQLite takes zeros behind its last frame for the log's end.
//
// For the one process that writes the log, between its transactions.
class LogRoom {
 public:
  explicit LogRoom(std::string path) : path_(std::move(path)) {}
  LogRoom(const LogRoom&) = delete;
  LogRoom& operator=(const LogRoom&) = delete;
  ~LogRoom();

  // Adds zeros when the log is written up to `used` and little is left behind that. A disk without
  // room for them gets none: the log then grows as it is written.
  void Ensure(int64_t used);

 private:
  bool Open();
  bool Add();

  const std::string path_;
  int file_ = -1;
  int64_t size_ = 0;
  bool given_up_ = false;
};

}  // namespace coppice::store
