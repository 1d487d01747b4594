#include "services/reservation/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace coppice::services::reservation {
namespace {

// The library's own types, as its interface fixes them.
using DeviceHandle = void*;
constexpr int kSuccess = 0;
constexpr unsigned kTextSize = 96;
// Where NVIDIA's runtime mounts it in an image without a distribution; the loader looks elsewhere.
constexpr const char* kPaths[] = {"libnvidia-ml.so.1", "/usr/lib64/libnvidia-ml.so.1",
                                  "/usr/lib/libnvidia-ml.so.1"};

void* Open() {
  for (const char* path : kPaths) {
    if (void* handle = dlopen(path, RTLD_LAZY)) return handle;
  }
  return nullptr;
}

}  // namespace

struct Nvml::Library {
  void* handle = nullptr;
  bool initialised = false;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, DeviceHandle*) = nullptr;
  int (*uuid)(DeviceHandle, char*, unsigned) = nullptr;
  int (*name)(DeviceHandle, char*, unsigned) = nullptr;
  const char* (*error)(int) = nullptr;

  ~Library() {
    if (initialised) shutdown();
    if (handle) dlclose(handle);
  }

  template <typename Function>
  bool Find(const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle, symbol));
    return function != nullptr;
  }

  bool FindAll() {
    return Find("nvmlInit_v2", init) && Find("nvmlShutdown", shutdown) &&
           Find("nvmlDeviceGetCount_v2", count) &&
           Find("nvmlDeviceGetHandleByIndex_v2", by_index) && Find("nvmlDeviceGetUUID", uuid) &&
           Find("nvmlDeviceGetName", name) && Find("nvmlErrorString", error);
  }

  base::Status Check(int code, std::string_view doing) const {
    if (code == kSuccess) return {};
    return base::Internal(fmt::format("{}: {}", doing, error(code)));
  }
};

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::Nvml(Nvml&&) noexcept = default;
Nvml::~Nvml() = default;

base::Result<Nvml> Nvml::Load() {
  auto library = std::make_unique<Library>();
  library->handle = Open();
  if (!library->handle) {
    return base::NotFound(
        "libnvidia-ml.so.1 is not there: the node needs NVIDIA's driver, and a container the "
        "runtime "
        "class that mounts it (the binder's --runtime-class-name)");
  }
  if (!library->FindAll()) return base::Unimplemented("libnvidia-ml.so.1 is too old");
  COPPICE_TRY(library->Check(library->init(), "starting NVML"));
  library->initialised = true;
  return Nvml(std::move(library));
}

base::Result<unsigned> Nvml::DeviceCount() const {
  unsigned count = 0;
  COPPICE_TRY(library_->Check(library_->count(&count), "counting GPUs"));
  return count;
}

base::Result<Gpu> Nvml::Device(unsigned index) const {
  DeviceHandle device = nullptr;
  COPPICE_TRY(library_->Check(library_->by_index(index, &device), "finding a GPU"));
  char uuid[kTextSize] = {};
  char name[kTextSize] = {};
  COPPICE_TRY(library_->Check(library_->uuid(device, uuid, kTextSize), "reading a GPU's uuid"));
  COPPICE_TRY(library_->Check(library_->name(device, name, kTextSize), "reading a GPU's name"));
  return Gpu{static_cast<int>(index), name, uuid};
}

}  // namespace coppice::services::reservation
