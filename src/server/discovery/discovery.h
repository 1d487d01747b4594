#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "server/core/core.h"

namespace coppice::server {

// Discovery documents: /version, /api, /api/v1, /apis, /apis/GROUP, /apis/GROUP/VERSION. kNotFound
// for any other path.
base::Result<json::Value> Discover(Core& core, std::string_view path);

}  // namespace coppice::server
