#pragma once

#include "api/labels.h"

namespace coppice::backends {

namespace labels = api::labels;

}  // namespace coppice::backends
