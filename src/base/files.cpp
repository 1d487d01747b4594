#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace coppice::base {

Result<std::string> ReadFile(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return InvalidArgument("cannot read " + path + ": it is a directory");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const std::string message = "cannot read " + path + ": " + std::strerror(errno);
    return errno == ENOENT ? NotFound(message) : Unavailable(message);
  }
  std::ostringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

Status WriteSecretFile(const std::string& path, std::string_view text) {
  const auto failed = [&] { return Unavailable("cannot write " + path + ": " + strerror(errno)); };
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return failed();
  bool ok = fchmod(file, 0600) == 0;  // It may have been there before.
  while (ok && !text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    ok = written > 0;
    if (ok) text.remove_prefix(static_cast<size_t>(written));
  }
  Status status = ok ? Status() : failed();
  if (close(file) != 0 && status) status = failed();
  return status;
}

}  // namespace coppice::base
