#pragma once

#include "engine/framework/framework.h"
#include "engine/session/session.h"

namespace coppice::engine {

// The resourcetype plugin: prefers nodes without GPUs for pods that request none
// (docs/behaviour/engine.md S-81).
class ResourceType {
 public:
  static constexpr std::string_view kName = "resourcetype";
  static constexpr Points kPoints = Point::kScore;
  static constexpr bool kTimed = false;
  static bool On(const Session& session) { return session.plugins.resourcetype; }

  explicit ResourceType(const Session& session) : session_(session) {}

  bool Scores(TaskId task) const { return session_.cluster.ClassOf(task).cpu_only; }
  double Score(TaskId, NodeId node) const {
    return session_.cluster.nodes()[node].cpu_only ? 10 : 0;
  }

 private:
  const Session& session_;
};

}  // namespace coppice::engine
