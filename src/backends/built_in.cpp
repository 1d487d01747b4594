#include <array>

#include "backends/framework/registry.h"
#include "backends/kai/kai.h"
#include "backends/koordinator/koordinator.h"
#include "backends/podgang/podgang.h"
#include "backends/scheduler_plugins/scheduler_plugins.h"
#include "backends/volcano/volcano.h"
#include "backends/workload/workload.h"
#include "backends/yunikorn/yunikorn.h"

namespace coppice::backends {

// To add a backend, create its folder and add a line here.
std::span<const BuiltInBackend> BuiltInBackends() {
  static constexpr std::array kTable = {
      BuiltInBackend{"default", workload::kSchedulerName, &workload::Make},
      BuiltInBackend{"kai", kai::kSchedulerName, &kai::Make},
      BuiltInBackend{"koordinator", koordinator::kSchedulerName, &koordinator::Make},
      BuiltInBackend{"lpx", podgang::kLpxSchedulerName, &podgang::MakeLpx},
      BuiltInBackend{"podgang", podgang::kSchedulerName, &podgang::Make},
      BuiltInBackend{"scheduler-plugins", scheduler_plugins::kSchedulerName,
                     &scheduler_plugins::Make},
      BuiltInBackend{"volcano", volcano::kSchedulerName, &volcano::Make},
      BuiltInBackend{"yunikorn", yunikorn::kSchedulerName, &yunikorn::Make},
  };
  return kTable;
}

}  // namespace coppice::backends
