#pragma once

#include "kube/executor/backoff.h"

namespace coppice::backends {

// How long a set, clique, group or gang that fails waits before it is tried again. What usually
// stands in the way (a quota, somebody's webhook, a missing CRD) is mended by people, and nothing
// tells us when: they should see their pods come within a minute.
inline constexpr kube::Backoff kRetry{std::chrono::milliseconds(5), std::chrono::minutes(1)};

}  // namespace coppice::backends
