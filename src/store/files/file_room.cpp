#include "store/files/file_room.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace coppice::store {
namespace {

constexpr int64_t kSpareBytes = 128 << 10;
// How much further than it must a file grows: an eighth, within these.
constexpr int64_t kLeastAhead = 64 << 10;
constexpr int64_t kMostAhead = 8 << 20;

}  // namespace

FileRoom::~FileRoom() {
  if (file_ >= 0) close(file_);
}

bool FileRoom::Hold(int64_t pages, bool spare) {
  const int64_t wanted = std::min(limit_, spare ? pages + kSpareBytes / page_bytes_ : pages);
  if (wanted <= held_) return true;
  const int64_t ahead = std::clamp(wanted / 8, kLeastAhead / page_bytes_, kMostAhead / page_bytes_);
  return Grow(std::min(wanted + ahead, limit_)) || Grow(wanted);
}

bool FileRoom::Grow(int64_t pages) {
  if (file_ < 0) file_ = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0 || posix_fallocate(file_, 0, pages * page_bytes_) != 0) return false;
  held_ = pages;
  return true;
}

}  // namespace coppice::store
