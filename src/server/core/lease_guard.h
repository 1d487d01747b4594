#pragma once

#include <optional>

#include "base/result.h"
#include "server/model/request.h"
#include "store/store.h"

namespace coppice::server {

class Core;

// The condition that a write's lease puts on it: the lease is its holder's, and has been since the
// holder got it. It does not matter whether the lease has run out, as long as nobody else has it.
class LeaseGuard {
 public:
  explicit LeaseGuard(const Request& request);

  // For Store::Put and Delete; null when the request names no lease.
  const store::Guard* get() const { return guard_ ? &*guard_ : nullptr; }

 private:
  std::optional<store::Guard> guard_;
};

// Reads the lease that a client names in a header. Who may not read a lease must not learn from
// answers whose it is: kForbidden.
base::Status ReadLease(Core& core, std::string_view header, Request& request);

}  // namespace coppice::server
