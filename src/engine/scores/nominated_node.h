#pragma once

#include "engine/framework/framework.h"
#include "engine/session/session.h"

namespace coppice::engine {

// The nominatednode plugin: prefers the node named in the pod's status (docs/behaviour/engine.md
// S-81).
class NominatedNode {
 public:
  static constexpr std::string_view kName = "nominatednode";
  static constexpr Points kPoints = Point::kScore;
  static constexpr bool kTimed = false;
  static bool On(const Session& session) { return session.plugins.nominatednode; }

  explicit NominatedNode(const Session& session) : session_(session) {}

  bool Scores(TaskId task) const {
    const auto& extras = session_.cluster.tasks()[task].extras;
    return extras && !extras->nominated_node.empty();
  }
  double Score(TaskId task, NodeId node) const;

 private:
  const Session& session_;
};

}  // namespace coppice::engine
