#include "store/files/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace coppice::store {

base::Result<FileLock> FileLock::Take(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    return base::Internal(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  FileLock lock(file);
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
  return base::Unavailable(fmt::format("the database is in use by another process ({})", path));
}

FileLock::~FileLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace coppice::store
