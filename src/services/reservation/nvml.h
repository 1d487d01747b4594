#pragma once

#include <memory>

#include "base/result.h"
#include "services/reservation/gpus.h"

namespace coppice::services::reservation {

// The few functions of NVIDIA's management library (libnvidia-ml) that we need, found at run time,
// so that the program needs no driver to build or start. Initialised while it lives.
class Nvml {
 public:
  static base::Result<Nvml> Load();
  Nvml(Nvml&&) noexcept;
  ~Nvml();

  base::Result<unsigned> DeviceCount() const;
  base::Result<Gpu> Device(unsigned index) const;

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

}  // namespace coppice::services::reservation
