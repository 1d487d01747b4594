#pragma once

#include <string>

#include "base/result.h"

namespace coppice::server {

// Where the next page of a list starts, and its store revision. Opaque to clients.
struct ContinueToken {
  int64_t revision = 0;
  std::string after;

  std::string Encode() const;
  static base::Result<ContinueToken> Decode(const std::string& text);
};

}  // namespace coppice::server
