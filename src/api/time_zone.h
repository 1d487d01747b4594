#pragma once

#include <string_view>

#include "base/result.h"

namespace coppice::api {

// Whether the machine's time zones know `name` ("Europe/Berlin"); everything is known where there
// are none. The error is in Kubernetes' words.
base::Status CheckTimeZoneName(std::string_view name);

}  // namespace coppice::api
