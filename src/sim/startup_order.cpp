#include "sim/startup_order.h"

#include "api/labels.h"
#include "api/view/core.h"
#include "kube/object.h"
#include "operator/initc/requirements.h"
#include "services/common/names.h"

namespace coppice::sim {
namespace {

using json::Value;

constexpr std::string_view kGangIndex = "sim-gang";
using api::labels::kPodGang;
}  // namespace

StartupOrder::StartupOrder(kube::Informer& pods) : pods_(pods) {
  pods_.AddIndex(std::string(kGangIndex), [](const Value& pod) {
    std::vector<std::string> keys;
    if (const auto gang = kube::Label(pod, kPodGang); !gang.empty()) {
      keys.push_back(std::string(kube::Namespace(pod)) + "/" + std::string(gang));
    }
    return keys;
  });
}

bool StartupOrder::MayFinish(const Value& pod, const Value& container) const {
  if (view::core::Container(container).name() != operators::initc::kContainerName) return true;
  const auto requirements = operators::initc::RequirementsOfContainer(container);
  // With invalid arguments the real init container fails, and the pod waits forever.
  if (!requirements) return false;
  if (requirements->empty()) return true;
  operators::initc::Waiter waiter(*requirements);
  const std::string gang =
      std::string(kube::Namespace(pod)) + "/" + std::string(kube::Label(pod, kPodGang));
  for (const Value& other : pods_.ByIndex(kGangIndex, gang)) waiter.Observe(other);
  return waiter.Satisfied();
}

}  // namespace coppice::sim
