#pragma once

#include <string_view>

namespace coppice::services::platform {

// True when `version` ("v25.10.1") is `bound` or later. Text that is no version is not.
bool IsAtLeast(std::string_view version, std::string_view bound);

}  // namespace coppice::services::platform
