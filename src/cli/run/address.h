#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace coppice::cli {

struct Address {
  std::string host;
  uint16_t port = 0;
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:8080" (127.0.0.1); ":8080" listens on all addresses.
base::Result<Address> ParseAddress(std::string_view text);

}  // namespace coppice::cli
