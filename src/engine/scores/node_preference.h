#pragma once

#include "engine/framework/framework.h"
#include "engine/session/session.h"

namespace coppice::engine {

// Part of the predicates plugin: preferred node affinity, which upstream does not score
// (docs/behaviour/engine.md S-81).
class NodePreference {
 public:
  static constexpr std::string_view kName = "predicates";
  static constexpr Points kPoints = Point::kScore;
  static constexpr bool kTimed = false;
  static bool On(const Session& session) { return session.plugins.predicates; }

  explicit NodePreference(const Session& session) : session_(session) {}

  bool Scores(TaskId task) const {
    return !session_.cluster.ClassOf(task).shape->affinity.preferred_nodes.empty();
  }
  double Score(TaskId task, NodeId node) const;

 private:
  const Session& session_;
};

}  // namespace coppice::engine
