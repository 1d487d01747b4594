#include "services/binder/plugins/gpu_sharing_plugins.h"

#include <fmt/format.h>

#include <cmath>

#include "api/view/core.h"
#include "base/quantity.h"
#include "kube/object.h"
#include "services/binder/plugins/config_maps.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"

namespace coppice::services::binder {
namespace {

constexpr const char* kVisibleDevices = "NVIDIA_VISIBLE_DEVICES";

std::string_view Portion(const BindContext& context) {
  return context.Wanted().receivedGPU().portion();
}

std::string DeviceList(const std::vector<std::string>& ids, bool cdi) {
  std::string out;
  for (const std::string& id : ids) {
    if (!out.empty()) out += ",";
    out += cdi ? "k8s.device-plugin.nvidia.com/gpu=" + id : id;
  }
  return out;
}

// Whether the container takes the variable from a ConfigMap key, as admission writes it today.
bool TakesDevicesFromKey(view::core::Container container) {
  for (const view::core::EnvVar env : container.env()) {
    if (env.name() == kVisibleDevices) return env.valueFrom().has_configMapKeyRef();
  }
  return false;
}

class GpuSharing final : public Plugin {
 public:
  GpuSharing(kube::Client& client, bool cdi) : client_(client), cdi_(cdi) {}

  base::Result<Progress> PreBind(const BindContext& context) override {
    if (!context.IsFraction()) return Progress::Done();
    COPPICE_ASSIGN(const SharingMaps maps, SharingMapsOf(context.pod));
    COPPICE_ASSIGN(const ContainerPlace place, FractionContainer(context.pod));
    const std::string devices = DeviceList(context.gpu_ids, cdi_);
    const std::string portion(Portion(context));
    std::map<std::string, std::string> capabilities{{"GPU_PORTION", portion},
                                                    {"RUNAI_NUM_OF_GPUS", portion}};
    std::map<std::string, std::string> environment;
    const auto container = place.In(view::core::Pod(context.pod).spec());
    (TakesDevicesFromKey(container) ? capabilities : environment)[kVisibleDevices] = devices;
    COPPICE_TRY(UpsertConfigMap(client_, context.pod, maps.capabilities, capabilities));
    COPPICE_TRY(UpsertConfigMap(client_, context.pod, maps.environment, environment));
    return Progress::Done();
  }

  base::Status Rollback(const BindContext& context) override {
    if (!context.IsFraction()) return {};
    const auto maps = SharingMapsOf(context.pod);
    if (!maps) return {};
    COPPICE_TRY(DeleteConfigMap(client_, context.pod, maps->capabilities));
    return DeleteConfigMap(client_, context.pod, maps->environment);
  }

 private:
  kube::Client& client_;
  const bool cdi_;
};

class HamiCore final : public Plugin {
 public:
  explicit HamiCore(kube::Client& client) : client_(client) {}

  base::Result<Progress> PreBind(const BindContext& context) override {
    const std::optional<std::string> limit = MemoryLimit(context);
    if (!limit) return Progress::Done();
    COPPICE_ASSIGN(const SharingMaps maps, SharingMapsOf(context.pod));
    COPPICE_TRY(UpsertConfigMap(client_, context.pod, maps.capabilities,
                                {{"CUDA_DEVICE_MEMORY_LIMIT", *limit}}));
    return Progress::Done();
  }

 private:
  static std::optional<std::string> MemoryLimit(const BindContext& context) {
    if (!context.IsFraction()) return std::nullopt;
    const double memory = Number(kube::Label(context.node, names::kNodeGpuMemory));
    const double portion = Number(Portion(context));
    if (!(memory > 0) || !(portion > 0)) return std::nullopt;
    return fmt::format("{}m", static_cast<int64_t>(std::floor(memory * portion)));
  }

  static double Number(std::string_view text) {
    const auto quantity = base::Quantity::Parse(text);
    return quantity ? quantity->ToDouble() : 0;
  }

  kube::Client& client_;
};

}  // namespace

std::unique_ptr<Plugin> MakeGpuSharing(kube::Client& client, bool cdi_enabled) {
  return std::make_unique<GpuSharing>(client, cdi_enabled);
}

std::unique_ptr<Plugin> MakeHamiCore(kube::Client& client) {
  return std::make_unique<HamiCore>(client);
}

}  // namespace coppice::services::binder
