#pragma once

#include "api/kai/names.h"

namespace coppice::services {

namespace names = api::kai::names;

}  // namespace coppice::services
