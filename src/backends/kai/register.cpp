#include "backends/kai/kai.h"
#include "backends/registry.h"

namespace coppice::backends::kai {
namespace {
const Registration kRegistration("kai", {std::string(kSchedulerName)}, &Make);
}
}  // namespace coppice::backends::kai
