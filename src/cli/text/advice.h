#pragma once

#include <string>

#include "base/error.h"

namespace coppice::cli {

// The error for a person: what went wrong, and what to do about it. An error that already says what
// to do is left as it is.
std::string WithAdvice(const base::Error& error);

}  // namespace coppice::cli
