#pragma once

#include <string>
#include <string_view>

#include "server/core/core.h"

namespace coppice::server {

// Takes a finalizer from a stored object, in the name of a controller of Kubernetes. False when
// that should be tried again.
bool RemoveFinalizer(Core& core, const json::Value& object, std::string_view finalizer,
                     std::string_view controller);

}  // namespace coppice::server
