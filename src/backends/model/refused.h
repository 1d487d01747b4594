#pragma once

#include "base/error.h"

namespace coppice::backends {

// Whether retrying is pointless: permissions are missing, or the kind is not served. Only an
// administrator can change that.
inline bool IsRefused(const base::Error& error) {
  return error.Is(base::ErrorCode::kForbidden) || error.Is(base::ErrorCode::kNotFound) ||
         error.Is(base::ErrorCode::kMethodNotAllowed);
}

}  // namespace coppice::backends
