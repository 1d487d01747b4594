#pragma once

#include "base/error.h"

namespace coppice::cli {

// Prints the error to standard error, with what to do about it, and returns the exit code of a
// failure.
int Fail(const base::Error& error);

}  // namespace coppice::cli
