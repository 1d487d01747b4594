#include "services/reservation/reservation.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "services/common/names.h"

namespace coppice::services::reservation {

base::Status ReportGpu(kube::Client& client, const api::ObjectKey& own_pod, const ListGpus& list) {
  COPPICE_ASSIGN(const json::Value pod, client.Get(api::kPods, own_pod));
  if (view::core::Pod(pod).metadata().annotations().Has(names::kReservedGpu)) return {};
  COPPICE_ASSIGN(const std::vector<Gpu> gpus, list());
  if (gpus.size() != 1) {
    return base::Internal(
        fmt::format("a reservation pod must see exactly one GPU, this one sees {}", gpus.size()));
  }
  json::Value patch = json::Value::Object();
  edit::core::Pod(patch).metadata().annotations().Set(names::kReservedGpu, gpus.front().uuid);
  COPPICE_TRY(client.Patch(api::kPods, own_pod, kube::PatchType::kMerge, patch));
  return {};
}

}  // namespace coppice::services::reservation
