#include "operator/initc/startup_gate.h"

#include "api/well_known.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::initc {

StartupGate::StartupGate(kube::Manager& manager, const std::string& ns, const std::string& gang,
                         Requirements requirements)
    : waiter_(std::move(requirements)), open_(waiter_.Satisfied()) {
  manager.runtime()
      .cache
      .InformerFor(api::kPods,
                   {.ns = ns, .label_selector = std::string(labels::kPodGang) + "=" + gang})
      .AddHandler([this](const kube::Change& change) { See(change); });
}

bool StartupGate::Open() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

std::string StartupGate::Missing() const {
  const std::lock_guard lock(mutex_);
  return open_ ? "" : waiter_.Missing();
}

void StartupGate::See(const kube::Change& change) {
  const std::lock_guard lock(mutex_);
  if (change.type == kube::ChangeType::kDeleted) {
    waiter_.Remove(change.object);
  } else {
    waiter_.Observe(change.object);
  }
  open_ = open_ || waiter_.Satisfied();
}

}  // namespace coppice::operators::initc
