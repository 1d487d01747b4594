#pragma once

#include "engine/state/jobs/job.h"
#include "engine/state/topologies.h"
#include "engine/state/values/input_problems.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// Builds the sets and pod sets of a job from its spec (docs/behaviour/engine.md S-29). Sub-groups
// that do not form a tree are reported and ignored.
class JobTreeBuilder {
 public:
  JobTreeBuilder(Names& names, const Topologies& topologies, InputProblems& problems)
      : names_(names), topologies_(topologies), problems_(problems) {}

  void Build(Job& job) const;

 private:
  void BuildSubGroups(Job& job) const;
  void SortMembers(Job& job) const;
  Constraint ConstraintOf(const std::optional<TopologyConstraint>& given) const;

  Names& names_;
  const Topologies& topologies_;
  InputProblems& problems_;
};

}  // namespace coppice::engine
