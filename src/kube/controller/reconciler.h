#pragma once

#include <optional>

#include "api/resource.h"
#include "base/clock.h"
#include "base/result.h"

namespace coppice::kube {

// What to do with a key after a successful reconcile.
struct Requeue {
  std::optional<base::Duration> after;

  static Requeue Done() { return {}; }
  static Requeue After(base::Duration delay) { return {delay}; }
};

// Brings one object, and what depends on it, to its desired state. Level-triggered: it reads the
// current objects and never sees what event led to the call. Called for one key at a time; calls
// for different keys may run at once. An error is retried with exponential backoff.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual base::Result<Requeue> Reconcile(const api::ObjectKey& key) = 0;
};

}  // namespace coppice::kube
