#pragma once

#include <cstdint>
#include <string>

namespace coppice::store {

// Reserves space in a database file for the contents of its write-ahead log, so the log can always
// be checkpointed, even on a full disk. A transaction that grows the database is committed only
// after the file has grown; a little more is reserved for deletions, which may need a page.
//
// For the one process that writes the database. Must outlive SQLite's connection: closing the file
// drops the locks that SQLite has on it.
class FileRoom {
 public:
  FileRoom(std::string path, int64_t page_bytes)
      : path_(std::move(path)), page_bytes_(page_bytes) {}
  FileRoom(const FileRoom&) = delete;
  FileRoom& operator=(const FileRoom&) = delete;
  ~FileRoom();

  // Maximum size of the file.
  void SetLimit(int64_t pages) { limit_ = pages; }
  // True if the file has space for `pages`, and with `spare` for some more.
  bool Hold(int64_t pages, bool spare);
  // SQLite has truncated the file to its used size.
  void Forget() { held_ = 0; }

 private:
  bool Grow(int64_t pages);

  const std::string path_;
  const int64_t page_bytes_;
  int64_t limit_ = INT64_MAX;
  int64_t held_ = 0;  // Pages that the file is known to have space for.
  int file_ = -1;
};

}  // namespace coppice::store
