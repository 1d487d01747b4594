#pragma once

#include <optional>
#include <span>
#include <string>

#include "json/value.h"

namespace coppice::backends {

// Why a scheduler has not placed a pod, from its PodScheduled condition.
struct PodReason {
  std::string reason;
  std::string message;

  auto operator<=>(const PodReason&) const = default;
};

// What a gang waits for, according to its pods: the reason that most of them have, independent of
// their order. A pod that fits but is refused because another one does not only counts if no pod
// names a cause.
std::optional<PodReason> MainReason(std::span<const json::Value> pods);

}  // namespace coppice::backends
