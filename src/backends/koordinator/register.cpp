#include "backends/koordinator/koordinator.h"
#include "backends/registry.h"

namespace coppice::backends::koordinator {
namespace {
const Registration kRegistration("koordinator", {std::string(kSchedulerName)}, &Make);
}
}  // namespace coppice::backends::koordinator
