#pragma once

#include "kube/executor/backoff.h"

namespace coppice::backends {

// Retry back-off for a set, clique, scaling group or gang that fails. The usual causes (a quota,
// someone's webhook, a missing CRD) are fixed by an administrator, and we get no notification, so
// pods should appear within a minute of the fix.
inline constexpr kube::Backoff kRetry{std::chrono::milliseconds(5), std::chrono::minutes(1)};

}  // namespace coppice::backends
