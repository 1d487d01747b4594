#pragma once

#include <string>

#include "engine/input.h"

namespace coppice::engine {

// Canonical texts: equal exactly when the described parts are equal.
// All that distinguishes classes of pods.
std::string ClassText(const PodShape& shape);
// What enters the scheduling signature: no requests (docs/behaviour/engine.md S-34).
std::string SignatureText(const PodShape& shape);

}  // namespace coppice::engine
