#pragma once

#include "engine/actions/search/scenario.h"

namespace coppice::engine {

// The sg-nodelocalgreedy plugin (docs/behaviour/engine.md S-51): victims from one node at a time.
extern const ScenarioSource kNodeLocalGreedy;

}  // namespace coppice::engine
