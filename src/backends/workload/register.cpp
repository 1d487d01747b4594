#include "backends/framework/registry.h"
#include "backends/workload/workload.h"

namespace coppice::backends::workload {
namespace {
const Registration kRegistration("default", {std::string(kSchedulerName)}, &Make);
}
}  // namespace coppice::backends::workload
