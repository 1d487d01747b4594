#pragma once

#include <optional>

#include "base/result.h"
#include "server/model/request.h"
#include "store/store.h"

namespace coppice::server {

class Core;

// The condition of a fenced write: the lease still has the same holder, without a transition in
// between. It does not matter whether the lease has expired, as long as no other process holds it.
class LeaseGuard {
 public:
  explicit LeaseGuard(const Request& request);

  // For Store::Put and Delete; null if the request names no lease.
  const store::Guard* get() const { return guard_ ? &*guard_ : nullptr; }
  // For a write that turns out to change nothing, and is refused like any other.
  base::Status Check(const store::Store& store) const;

 private:
  std::optional<store::Guard> guard_;
};

// Reads the lease that a client names in a header. kForbidden if the client may not read the lease,
// so that responses do not reveal its holder.
base::Status ReadLease(Core& core, std::string_view header, Request& request);

}  // namespace coppice::server
