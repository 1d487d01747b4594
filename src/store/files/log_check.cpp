#include "store/files/log_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "store/files/big_endian.h"

namespace coppice::store {
namespace {

constexpr size_t kHeadBytes = 32, kFrameHeadBytes = 24;
constexpr std::string_view kRetired("coppice: this log is folded in.\n");
static_assert(kRetired.size() == kHeadBytes);
// The last bit says in which order of bytes the checksums were made.
constexpr uint32_t kLogMagic = 0x377f0682;

struct Sum {
  uint32_t first = 0, second = 0;
  bool operator==(const Sum&) const = default;
};

// A file's bytes for as long as this lives.
class MappedFile {
 public:
  static base::Result<MappedFile> Open(const std::string& path) {
    MappedFile mapped;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) return mapped;
    struct stat found = {};
    if (file < 0 || fstat(file, &found) != 0) {
      return base::Unavailable(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    }
    mapped.size_ = static_cast<size_t>(found.st_size);
    if (mapped.size_ > 0) mapped.at_ = mmap(nullptr, mapped.size_, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped.at_ != MAP_FAILED) return mapped;
    mapped.at_ = nullptr;
    return base::Unavailable("cannot read " + path + ": it cannot be mapped");
  }
  MappedFile(MappedFile&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), size_(other.size_) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile() {
    if (at_) munmap(at_, size_);
  }
  std::string_view bytes() const {
    return at_ ? std::string_view(static_cast<const char*>(at_), size_) : std::string_view();
  }

 private:
  MappedFile() = default;

  void* at_ = nullptr;
  size_t size_ = 0;
};

class LogWalk {
 public:
  explicit LogWalk(std::string_view log) : log_(log) {}

  LogReport Run() {
    if (log_.substr(0, kHeadBytes) == kRetired || IsZero(log_)) return {};
    if (!ReadHead()) {
      report_.damage = "the head of the log is not what was written";
      return report_;
    }
    const size_t bad = WalkTransactions();
    const std::optional<size_t> later = FindLaterTransaction(bad);
    if (later) {
      report_.damage = fmt::format(
          "frame {} of the log (at byte {}) is not what was written, and transactions that were "
          "acknowledged follow it, up to frame {} at least",
          bad + 1, FrameAt(bad), *later + 1);
    }
    return report_;
  }

 private:
  static bool IsZero(std::string_view bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
  }

  bool ReadHead() {
    if (log_.size() < kHeadBytes) return false;
    const uint32_t magic = BigEndian32(log_.data());
    if ((magic & ~1u) != kLogMagic) return false;
    big_endian_ = (magic & 1) != 0;
    page_bytes_ = BigEndian32(log_.data() + 8);
    if (page_bytes_ < 512 || page_bytes_ > 65536) return false;
    head_sum_ = {BigEndian32(log_.data() + 24), BigEndian32(log_.data() + 28)};
    frames_ = (log_.size() - kHeadBytes) / (kFrameHeadBytes + page_bytes_);
    return Add({}, log_.substr(0, 24)) == head_sum_;
  }

  // Returns the first frame that does not continue the log.
  size_t WalkTransactions() {
    Sum sum = head_sum_;
    std::optional<FileHeader> pending;
    for (size_t i = 0; i < frames_; ++i) {
      if (!Continues(sum, i)) return i;
      sum = SumOf(i);
      if (PageOf(i) == 1) pending = ParseFileHeader(Page(i));
      if (!IsCommit(i)) continue;
      if (report_.committed == 0) report_.first = pending;
      if (pending) report_.last = pending;
      report_.committed = i + 1;
      report_.committed_bytes = static_cast<int64_t>(FrameAt(i + 1));
    }
    return frames_;
  }

  // A frame behind `bad` that follows the end of a transaction, and was written after it.
  std::optional<size_t> FindLaterTransaction(size_t bad) const {
    std::optional<size_t> found;
    for (size_t i = bad; i + 1 < frames_; ++i) {
      if (IsOurs(i) && IsCommit(i) && Continues(SumOf(i), i + 1)) found = i + 1;
    }
    return found;
  }

  bool Continues(Sum sum, size_t frame) const {
    if (!IsOurs(frame)) return false;
    sum = Add(sum, log_.substr(FrameAt(frame), 8));
    return Add(sum, Page(frame)) == SumOf(frame);
  }

  // SQLite's own: two running sums over pairs of words.
  Sum Add(Sum sum, std::string_view bytes) const {
    const bool swap = big_endian_ != (std::endian::native == std::endian::big);
    for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      uint32_t words[2];
      std::memcpy(words, bytes.data() + i, 8);
      sum.first += (swap ? __builtin_bswap32(words[0]) : words[0]) + sum.second;
      sum.second += (swap ? __builtin_bswap32(words[1]) : words[1]) + sum.first;
    }
    return sum;
  }

  size_t FrameAt(size_t i) const { return kHeadBytes + i * (kFrameHeadBytes + page_bytes_); }
  const char* FrameHead(size_t i) const { return log_.data() + FrameAt(i); }
  std::string_view Page(size_t i) const {
    return log_.substr(FrameAt(i) + kFrameHeadBytes, page_bytes_);
  }
  uint32_t PageOf(size_t i) const { return BigEndian32(FrameHead(i)); }
  bool IsCommit(size_t i) const { return BigEndian32(FrameHead(i) + 4) != 0; }
  // Frames of an earlier log in the same file have its salt.
  bool IsOurs(size_t i) const { return log_.substr(FrameAt(i) + 8, 8) == log_.substr(16, 8); }
  Sum SumOf(size_t i) const {
    return {BigEndian32(FrameHead(i) + 16), BigEndian32(FrameHead(i) + 20)};
  }

  const std::string_view log_;
  bool big_endian_ = false;
  size_t page_bytes_ = 0;
  size_t frames_ = 0;
  Sum head_sum_;
  LogReport report_;
};

}  // namespace

base::Result<LogReport> CheckLog(const std::string& path) {
  COPPICE_ASSIGN(const MappedFile file, MappedFile::Open(path));
  return LogWalk(file.bytes()).Run();
}

std::string_view RetiredLogHead() { return kRetired; }

}  // namespace coppice::store
