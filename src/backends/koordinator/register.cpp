#include "backends/framework/registry.h"
#include "backends/koordinator/koordinator.h"

namespace coppice::backends::koordinator {
namespace {
const Registration kRegistration("koordinator", {std::string(kSchedulerName)}, &Make);
}
}  // namespace coppice::backends::koordinator
