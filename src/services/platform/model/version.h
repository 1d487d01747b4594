#pragma once

#include <string_view>

namespace coppice::services::platform {

// True when `version` ("v25.10.1") is `bound` or later. False for text that is not a version.
bool IsAtLeast(std::string_view version, std::string_view bound);

}  // namespace coppice::services::platform
