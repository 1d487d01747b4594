#pragma once

#include "engine/actions/search/scenario.h"

namespace coppice::engine {

// The sg-multinodegang plugin (docs/behaviour/engine.md S-52): victims from growing sets of nodes.
extern const ScenarioSource kMultiNodeGang;

}  // namespace coppice::engine
