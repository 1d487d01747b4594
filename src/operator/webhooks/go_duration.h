#pragma once

#include <string_view>

#include "base/result.h"

namespace coppice::operators::webhooks {

// Whether Go's time.ParseDuration accepts the text; Go has no unit above the hour. The error uses
// Go's wording, which is what users of Grove's webhook see.
base::Status CheckGoDuration(std::string_view text);

}  // namespace coppice::operators::webhooks
