#include "backends/framework/registry.h"
#include "backends/yunikorn/yunikorn.h"

namespace coppice::backends::yunikorn {
namespace {
const Registration kRegistration("yunikorn", {std::string(kSchedulerName)}, &Make);
}
}  // namespace coppice::backends::yunikorn
