#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "kube/process/manager.h"
#include "operator/initc/requirements.h"

namespace coppice::operators::initc {

// Watches the pods of one gang and opens when all required PodCliques have enough ready pods. Once
// open, it stays open.
class StartupGate {
 public:
  // Construct before the manager starts; must outlive the manager.
  StartupGate(kube::Manager& manager, const std::string& ns, const std::string& gang,
              Requirements requirements);

  bool Open() const;
  // What is still missing, for the log.
  std::string Missing() const;

 private:
  void See(const kube::Change& change);

  mutable std::mutex mutex_;  // Guards the members below.
  Waiter waiter_;
  bool open_ = false;
};

}  // namespace coppice::operators::initc
