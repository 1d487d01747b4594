#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace coppice::services::admission {

// The result of a validation: whether to admit, and warnings for the user.
struct Verdict {
  base::Status status;
  std::vector<std::string> warnings;

  static Verdict Refuse(std::string message) {
    return {base::Error(base::ErrorCode::kForbidden, std::move(message)), {}};
  }
};

}  // namespace coppice::services::admission
