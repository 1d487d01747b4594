#pragma once

#include "base/result.h"
#include "engine/engine.h"
#include "engine/inputs/archive.h"

namespace coppice::engine {

// Passes recorded input on to an engine. The reader must have read everything that the recorder
// wrote before. Fails if the bytes are not what a recorder wrote; the engine may then have got a
// part of it.
base::Status ReplayInput(ArchiveReader& reader, Engine& engine);

}  // namespace coppice::engine
