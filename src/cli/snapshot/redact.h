#pragma once

#include "json/value.h"

namespace coppice::cli {

// An object without what may be confidential and no scheduler needs: the environment, command and
// arguments of containers, the data of ConfigMaps, managed fields, and annotations of kubectl that
// repeat the whole object.
json::Value Redact(json::Value object);

}  // namespace coppice::cli
