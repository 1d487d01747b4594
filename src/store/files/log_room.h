#pragma once

#include <cstdint>
#include <string>

namespace coppice::store {

// Preallocates a write-ahead log. Syncing a file that grows also commits the file system's own
// journal, which takes longer than writing the bytes; overwriting existing zeros does not. SQLite
// treats zeros after its last frame as the end of the log.
//
// On a full disk only the preallocated space is left: the writer checkpoints the log and restarts
// it. So the log file stays when a process exits, with some space in it.
//
// Used by the one process that writes the log, between its transactions.
class LogRoom {
 public:
  explicit LogRoom(std::string path) : path_(std::move(path)) {}
  LogRoom(const LogRoom&) = delete;
  LogRoom& operator=(const LogRoom&) = delete;
  ~LogRoom();

  // Appends zeros if the log is written up to `used` and little space is left. False if the disk is
  // full.
  bool Ensure(int64_t used);
  // True if SQLite has restarted the log since the last call.
  bool HasBegun();
  // Marks a checkpointed log as empty and releases all but a little space. The log must not be in
  // use.
  void Retire();
  // Releases part of the space after `used`, for more important files.
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
