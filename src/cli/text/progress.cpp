#include "cli/text/progress.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/text/terminal.h"

namespace coppice::cli {

void Progress::Show(size_t done, size_t total) {
  Show(fmt::format("{} {} of {} …", what_, done, total));
}

void Progress::Show(std::string_view text) {
  if (!ShowsProgress()) return;
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::Clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace coppice::cli
