#pragma once

#include <string>

#include "json/value.h"
#include "server/model/kind_rules.h"

namespace coppice::server {

// The spec of a claim for storage, also inside of pods and stateful sets.
void ValidateClaimSpec(const json::Value& spec, const std::string& path, Causes& causes);
// Of a claim or a volume.
void CheckAccessModes(const json::Value& modes, const std::string& path, Causes& causes);

}  // namespace coppice::server
