#pragma once

#include <string>

#include "base/result.h"
#include "operator/runtime/config.h"

namespace coppice::cli {

// Parses the operator's configuration from the text of its file.
base::Result<operators::Config> ParseOperatorConfig(const std::string& text);
// Reads the file; returns the defaults if `path` is "".
base::Result<operators::Config> ReadOperatorConfig(const std::string& path);

}  // namespace coppice::cli
