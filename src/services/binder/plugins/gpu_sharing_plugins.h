#pragma once

#include <memory>

#include "services/binder/model/plugin.h"

namespace coppice::services::binder {

// Writes a GPU-sharing container's devices and share.
std::unique_ptr<Plugin> MakeGpuSharing(kube::Client& client, bool cdi_enabled);
// Writes its GPU memory limit, for HAMi's interposer.
std::unique_ptr<Plugin> MakeHamiCore(kube::Client& client);

}  // namespace coppice::services::binder
