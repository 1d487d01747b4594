#include "backends/model/gang_condition.h"

#include "api/view/grove.h"

namespace coppice::backends {

bool StatusHas(const json::Value& status, std::string_view condition) {
  for (const auto each : view::grove::PodGangStatus(status).conditions()) {
    if (each.type() == condition) return each.status() == "True";
  }
  return false;
}

}  // namespace coppice::backends
