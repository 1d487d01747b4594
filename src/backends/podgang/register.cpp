#include "backends/framework/registry.h"
#include "backends/podgang/podgang.h"

namespace coppice::backends::podgang {
namespace {

BackendFactory Factory(std::string name, std::string scheduler_name, bool topology) {
  return [=](const Profile&) -> base::Result<std::unique_ptr<SchedulerBackend>> {
    return std::unique_ptr<SchedulerBackend>(
        std::make_unique<PodGangBackend>(name, scheduler_name, topology));
  };
}

const Registration kPodGang("podgang", {"grove-scheduler"},
                            Factory("podgang", "grove-scheduler", true));
const Registration kLpx("lpx", {"lpx-scheduler"}, Factory("lpx", "lpx-scheduler", false));

}  // namespace
}  // namespace coppice::backends::podgang
