#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "server/core/core.h"

namespace coppice::server {

// What the server serves, for clients that ask: /version, /api, /api/v1, /apis, /apis/GROUP,
// /apis/GROUP/VERSION. kNotFound for any other path.
base::Result<json::Value> Discover(Core& core, std::string_view path);

// Versions of an API group, best first: v2, v1, v1beta1, v1alpha2, …
bool IsBetterVersion(std::string_view a, std::string_view b);

}  // namespace coppice::server
