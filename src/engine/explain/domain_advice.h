#pragma once

#include <optional>

#include "engine/explain/trial.h"
#include "engine/model/explanation.h"

namespace coppice::engine {

// What a person would do about a gang that no domain of its topology level can ever hold: "use one
// rack with three free nodes, or relax rack to block". For gangs of equal pods with whole GPUs;
// nullopt for others. A wider level is named only if one of its domains has the GPUs for all pods,
// counted node by node.
std::optional<Explanation::Change> DomainAdvice(Trial& trial, const Constraint& required);

}  // namespace coppice::engine
