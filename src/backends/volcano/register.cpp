#include "backends/framework/registry.h"
#include "backends/volcano/volcano.h"

namespace coppice::backends::volcano {
namespace {
const Registration kRegistration("volcano", {std::string(kSchedulerName)}, &Make);
}
}  // namespace coppice::backends::volcano
