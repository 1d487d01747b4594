#include "store/files/promise.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "store/files/damage.h"

namespace coppice::store {
namespace {

constexpr uint64_t kPromiseMagic = 0x3165736d6f725063;  // "cPromse1" on the disk.

// As it lies in the file, the lowest byte of each number first.
struct PromiseRecord {
  uint64_t magic, identity, revision, live, sum;

  uint64_t Sum() const {
    return Checksum({reinterpret_cast<const char*>(this), offsetof(PromiseRecord, sum)});
  }
};
static_assert(std::endian::native == std::endian::little);

base::Error CannotWrite(const std::string& path) {
  return base::Unavailable("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace

PromiseFile::~PromiseFile() {
  if (file_ >= 0) close(file_);
}

base::Result<std::optional<Promise>> PromiseFile::Read(const std::string& path) {
  const base::Result<std::string> bytes = base::ReadFile(path);
  if (bytes.Is(base::ErrorCode::kNotFound)) return std::optional<Promise>();
  if (!bytes) return bytes.error();
  PromiseRecord record = {};
  if (bytes->size() == sizeof record) std::memcpy(&record, bytes->data(), sizeof record);
  if (record.magic != kPromiseMagic || record.sum != record.Sum()) {
    return Damaged(path, "it is not what was written");
  }
  return std::optional<Promise>(Promise{static_cast<uint32_t>(record.identity),
                                        static_cast<int64_t>(record.revision), record.live});
}

base::Status PromiseFile::Write(const Promise& promise) {
  if (file_ < 0) file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file_ < 0) return CannotWrite(path_);
  PromiseRecord record{kPromiseMagic, promise.identity, static_cast<uint64_t>(promise.revision),
                       promise.live, 0};
  record.sum = record.Sum();
  if (pwrite(file_, &record, sizeof record, 0) == sizeof record) return {};
  return CannotWrite(path_);
}

base::Status PromiseFile::Sync() {
  if (file_ < 0 || fdatasync(file_) == 0) return {};
  return CannotWrite(path_);
}

}  // namespace coppice::store
