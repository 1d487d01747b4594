#pragma once

#include <cstdint>
#include <string>

namespace coppice::store {

// Keeps room in a database file for what its write-ahead log holds, so that the log can always be
// folded in, on a full disk as well. A transaction that makes the database larger is committed only
// when the file has grown first; a little more is kept for deletions, which may need a page.
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

  // The file grows no further than this.
  void SetLimit(int64_t pages) { limit_ = pages; }
  // True when the file has room for `pages`, and with `spare` for some more.
  bool Hold(int64_t pages, bool spare);
  // SQLite has cut the file to what is in use.
  void Forget() { held_ = 0; }

 private:
  bool Grow(int64_t pages);

  const std::string path_;
  const int64_t page_bytes_;
  int64_t limit_ = INT64_MAX;
  int64_t held_ = 0;  // Pages that the file is known to have room for.
  int file_ = -1;
};

}  // namespace coppice::store
