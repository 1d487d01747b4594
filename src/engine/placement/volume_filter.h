#pragma once

#include <optional>
#include <string>

#include "engine/session.h"

namespace coppice::engine {

struct PreFailure;

// Kubernetes' VolumeBinding filter and the CSI capacity tests (spec 2.8, 5.9.3).
class VolumeFilter {
 public:
  explicit VolumeFilter(Session& session) : session_(session) {}
  std::optional<PreFailure> Prepare(TaskId task) const;
  std::optional<std::string> Check(TaskId task, NodeId node) const;

 private:
  Session& session_;
};

}  // namespace coppice::engine
