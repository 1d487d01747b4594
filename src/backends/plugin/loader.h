#pragma once

#include <memory>
#include <string>

#include "backends/framework/backend.h"

namespace coppice::backends::plugin {

// Loads a backend from a shared object (backends/plugin_abi.h). It stays loaded until the process
// exits; loading it again gives another backend over the same code. Fails with the file name if it
// cannot be loaded, exports no backend, or is for another version.
base::Result<std::unique_ptr<SchedulerBackend>> Load(const std::string& path);

}  // namespace coppice::backends::plugin
