#pragma once

namespace coppice::base {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace coppice::base

// Stops the process with a message when an invariant of ours is broken. Never for input.
#define COPPICE_CHECK(condition) \
  ((condition) ? (void)0 : ::coppice::base::CheckFailed(__FILE__, __LINE__, #condition))
