#include "cli/show/pod_gpus.h"

#include <fmt/format.h>

#include "api/view/core.h"
#include "base/quantity.h"
#include "kube/object.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"

namespace coppice::cli {
namespace {

using json::Value;
namespace gpu_names = services::names;

// The number of GPUs of which the pod requests a fraction.
double DevicesOf(const Value& pod) {
  const auto count = services::FractionDevices(pod);
  return count ? static_cast<double>(count->value_or(1)) : 1;
}

}  // namespace

double WholeGpusOf(const Value& pod) {
  double gpus = 0;
  for (const view::core::Container container : view::core::Pod(pod).spec().containers()) {
    const view::core::ResourceRequirements resources = container.resources();
    const Value& requested = resources.requests()[gpu_names::kGpuResource];
    const Value& wanted =
        requested.IsNull() ? resources.limits()[gpu_names::kGpuResource] : requested;
    const std::string text =
        wanted.IsInt() ? fmt::format("{}", wanted.AsInt()) : wanted.ToString("0");
    if (const auto quantity = base::Quantity::Parse(text)) gpus += quantity->ToDouble();
  }
  return gpus;
}

double GpusOf(const Value& pod) {
  double gpus = WholeGpusOf(pod);
  const std::string fraction(kube::Annotation(pod, gpu_names::kGpuFraction));
  if (const auto portion = base::Quantity::Parse(fraction)) {
    gpus += portion->ToDouble() * DevicesOf(pod);
  }
  return gpus;
}

}  // namespace coppice::cli
