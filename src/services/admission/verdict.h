#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace coppice::services::admission {

// What a validation says: whether to admit, and what the user should hear either way.
struct Verdict {
  base::Status status;
  std::vector<std::string> warnings;

  static Verdict Refuse(std::string message) {
    return {base::Error(base::ErrorCode::kForbidden, std::move(message)), {}};
  }
};

}  // namespace coppice::services::admission
