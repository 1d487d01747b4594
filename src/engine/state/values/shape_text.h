#pragma once

#include <string>

#include "engine/model/input.h"

namespace coppice::engine {

// Canonical texts: equal exactly if the described parts are equal. ClassText has everything that
// distinguishes pod classes.
std::string ClassText(const PodShape& shape);
// The parts in the scheduling signature: no requests (docs/behaviour/engine.md S-34).
std::string SignatureText(const PodShape& shape);

}  // namespace coppice::engine
