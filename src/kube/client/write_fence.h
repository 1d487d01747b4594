#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/resource.h"

namespace coppice::kube {

// The lease that a write depends on. A process can be stopped at any moment and go on when its
// lease has long been another's, so that who asks before it writes asks too early:
//  - The transport asks `holds` when the connection is there, right before the first byte is
//    written. Between that and the system call remains a gap that no client can close.
//  - The embedded server closes it: a write that names its lease is refused, in the same moment in
//    which it would happen, when the lease is another's. kube-apiserver ignores the header; it has
//    no condition on an object other than the one that is written.
struct WriteFence {
  api::ObjectKey lease;
  std::string holder;
  int64_t transitions = 0;  // How often the lease had changed hands when the holder got it.
  std::function<bool()> holds;

  static constexpr std::string_view kHeader = "coppice-lease";
  // "namespace/name transitions holder".
  std::string Encode() const;
  // Without `holds`. Nothing when it cannot be read.
  static std::optional<WriteFence> Parse(std::string_view text);
};

using WriteFencePtr = std::shared_ptr<const WriteFence>;

}  // namespace coppice::kube
