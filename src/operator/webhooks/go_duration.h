#pragma once

#include <string_view>

#include "base/result.h"

namespace coppice::operators::webhooks {

// Whether Go's time.ParseDuration takes the text, which knows no unit above the hour. The error has
// Go's words, for what Grove's webhook cannot decode reaches users in them.
base::Status CheckGoDuration(std::string_view text);

}  // namespace coppice::operators::webhooks
