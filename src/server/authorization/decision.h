#pragma once

#include <string>

namespace coppice::server {

// Whether a request is allowed, and why or why not; "" if there is nothing to say.
struct Decision {
  bool allowed = false;
  std::string reason;

  explicit operator bool() const { return allowed; }
};

}  // namespace coppice::server
