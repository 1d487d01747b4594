#pragma once

#include <cstdint>
#include <string>

namespace coppice::store {

// Keeps the end of a write-ahead log ahead of what is written to it. Syncing a file that grows also
// commits the file system's own journal, which takes longer than the bytes do; overwriting zeros
// that are there already does not. SQLite takes zeros behind its last frame for the log's end.
//
// On a full disk the room that is there is all there is: whoever writes folds the log into the
// database and begins it anew. So the log stays when a process ends, with some room in it.
//
// For the one process that writes the log, between its transactions.
class LogRoom {
 public:
  explicit LogRoom(std::string path) : path_(std::move(path)) {}
  LogRoom(const LogRoom&) = delete;
  LogRoom& operator=(const LogRoom&) = delete;
  ~LogRoom();

  // Adds zeros when the log is written up to `used` and little is left behind that. False where the
  // disk has no room for them.
  bool Ensure(int64_t used);
  // True when SQLite has begun the log anew since the last call.
  bool HasBegun();
  // Marks a log that is folded in as empty and gives back all but a little room. Nobody may be
  // reading it.
  void Retire();
  // Gives back a part of the room behind `used`, for files that matter more.
  void GiveBack(int64_t used);

 private:
  bool Open();
  bool Add();
  void ShrinkTo(int64_t size);

  const std::string path_;
  int file_ = -1;
  int64_t size_ = 0;
  uint64_t salt_ = 0;
};

}  // namespace coppice::store
