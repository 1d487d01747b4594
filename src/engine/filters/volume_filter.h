#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/model/explanation.h"
#include "engine/session/session.h"

namespace coppice::engine {

struct PreFailure;

// Kubernetes' VolumeBinding filter (docs/behaviour/engine.md S-82).
class VolumeFilter {
 public:
  explicit VolumeFilter(Session& session) : session_(session) {}
  std::optional<PreFailure> Prepare(TaskId task) const;
  // Claims and classes that do not exist or are not usable.
  void Missing(TaskId task, std::vector<Explanation::Change>& changes) const;
  // Why the volumes keep the pod off the node; nullopt if they do not.
  std::optional<std::string> Check(TaskId task, NodeId node) const;

 private:
  struct NodeView {
    std::string_view name;
    NamedLabels labels;
  };
  using Claims = std::vector<const PersistentVolumeClaimSpec*>;
  enum class Outcome { kPossible, kNoVolume, kNoSpace };

  // Empty if the claim is fine.
  std::string Problem(TaskId task, const VolumeClaimRef& reference) const;
  std::optional<std::string> CheckBound(const PersistentVolumeClaimSpec& claim,
                                        const NodeView& node) const;
  Outcome CheckWaiting(Claims waiting, const NodeView& node) const;
  Outcome CanProvision(const PersistentVolumeClaimSpec& claim, const NodeView& node) const;
  // The volume that the claim would be bound to, excluding `taken`.
  const PersistentVolumeSpec* Match(const PersistentVolumeClaimSpec& claim, const NodeView& node,
                                    const std::set<std::string>& taken) const;

  Session& session_;
};

}  // namespace coppice::engine
