#pragma once

#include <string>
#include <string_view>

#include "server/core/core.h"

namespace coppice::server {

// Removes a finalizer from a stored object on behalf of a Kubernetes controller. False if it should
// be retried.
bool RemoveFinalizer(Core& core, const json::Value& object, std::string_view finalizer,
                     std::string_view controller);

}  // namespace coppice::server
