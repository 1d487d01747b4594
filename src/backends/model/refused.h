#pragma once

#include "base/error.h"

namespace coppice::backends {

// Whether the server will not do it for us, however often it is asked: rights are missing, or the
// kind is not served. Only somebody's deed changes that.
inline bool IsRefused(const base::Error& error) {
  return error.Is(base::ErrorCode::kForbidden) || error.Is(base::ErrorCode::kNotFound) ||
         error.Is(base::ErrorCode::kMethodNotAllowed);
}

}  // namespace coppice::backends
