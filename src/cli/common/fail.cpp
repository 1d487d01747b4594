#include "cli/common/fail.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/text/advice.h"

namespace coppice::cli {

int Fail(const base::Error& error) {
  std::fflush(stdout);
  fmt::print(stderr, "error: {}\n", WithAdvice(error));
  return 1;
}

}  // namespace coppice::cli
