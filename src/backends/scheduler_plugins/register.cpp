#include "backends/framework/registry.h"
#include "backends/scheduler_plugins/scheduler_plugins.h"

namespace coppice::backends::scheduler_plugins {
namespace {
const Registration kRegistration("scheduler-plugins", {std::string(kSchedulerName)}, &Make);
}
}  // namespace coppice::backends::scheduler_plugins
