#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/resource.h"

namespace coppice::kube {

// The lease that a write depends on. A process can be paused at any moment and resume when another
// process holds its lease, so a check before the write is too early:
//  - The transport calls `holds` once it has a connection, right before it writes the first byte.
//    No client can close the remaining gap before the system call.
//  - The embedded server closes it: it checks the lease that a write names at the moment it
//    commits, and rejects the write if another process holds it. kube-apiserver ignores the header;
//    a write there cannot depend on another object.
struct WriteFence {
  api::ObjectKey lease;
  std::string holder;
  int64_t transitions = 0;  // leaseTransitions when the holder acquired it.
  std::function<bool()> holds;

  static constexpr std::string_view kHeader = "coppice-lease";
  // "namespace/name transitions holder".
  std::string Encode() const;
  // Without `holds`. nullopt if the text cannot be parsed.
  static std::optional<WriteFence> Parse(std::string_view text);
};

using WriteFencePtr = std::shared_ptr<const WriteFence>;

}  // namespace coppice::kube
