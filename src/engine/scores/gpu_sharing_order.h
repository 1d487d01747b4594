#pragma once

#include "engine/framework/framework.h"
#include "engine/session/session.h"

namespace coppice::engine {

// The gpusharingorder plugin: prefers nodes where an already shared GPU has room
// (docs/behaviour/engine.md S-81).
class GpuSharingOrder {
 public:
  static constexpr std::string_view kName = "gpusharingorder";
  static constexpr Points kPoints = Point::kScore;
  static constexpr bool kTimed = false;
  // leastfragmentation itself weighs shared GPUs against whole ones.
  static bool On(const Session& session) {
    return session.plugins.gpusharingorder &&
           session.plugins.gpu_placement != Placement::kLeastFragmentation;
  }

  explicit GpuSharingOrder(const Session& session) : session_(session) {}

  bool Scores(TaskId task) const;
  double Score(TaskId task, NodeId node) const;

 private:
  const Session& session_;
};

}  // namespace coppice::engine
