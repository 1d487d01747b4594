#pragma once

#include <memory>

#include "services/binder/model/plugin.h"

namespace coppice::services::binder {

// Tells a GPU-sharing container its devices and share.
std::unique_ptr<Plugin> MakeGpuSharing(kube::Client& client, bool cdi_enabled);
// Tells it how much GPU memory it may use, for HAMi's interposer.
std::unique_ptr<Plugin> MakeHamiCore(kube::Client& client);

}  // namespace coppice::services::binder
