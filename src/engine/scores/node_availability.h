#pragma once

#include "engine/filters/storage_capacity.h"
#include "engine/framework/framework.h"
#include "engine/session/session.h"

namespace coppice::engine {

// The nodeavailability plugin: prefers nodes where the pod can start now, without waiting for
// terminating pods (docs/behaviour/engine.md S-81).
class NodeAvailability {
 public:
  static constexpr std::string_view kName = "nodeavailability";
  static constexpr Points kPoints = Point::kScore;
  static constexpr bool kTimed = false;
  static bool On(const Session& session) { return session.plugins.nodeavailability; }

  explicit NodeAvailability(const Session& session) : session_(session) {}

  bool Scores(TaskId) const { return true; }
  double Score(TaskId task, NodeId node) const { return FitsIdle(session_, task, node) ? 1e3 : 0; }

 private:
  const Session& session_;
};

}  // namespace coppice::engine
