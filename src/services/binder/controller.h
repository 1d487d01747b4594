#pragma once

#include "kube/process/manager.h"
#include "services/binder/model/options.h"

namespace coppice::services::binder {

inline constexpr std::string_view kControllerName = "binder";

// Carries out bind requests. Fails if the plugin configuration is invalid.
base::Status AddToManager(kube::Manager& manager, Options options);

}  // namespace coppice::services::binder
