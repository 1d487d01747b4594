#include "backends/framework/registry.h"
#include "backends/kai/kai.h"

namespace coppice::backends::kai {
namespace {
const Registration kRegistration("kai", {std::string(kSchedulerName)}, &Make);
}
}  // namespace coppice::backends::kai
