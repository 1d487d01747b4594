#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client.h"

namespace coppice::sim {

// What must hold at every moment of every scenario, whatever happens. Keeps what it saw, so that
// it also notices what may never change.
//
// - No node holds more GPUs, CPU, memory or pods than it can allocate.
// - A pod that was bound is never seen on another node.
// - No pod is bound while it carries a scheduling gate.
// - Every GPU reservation pod has a consumer or a bind under way (checked when `settled`).
class Invariants {
 public:
  // Every violation in words; empty when all hold.
  base::Result<std::vector<std::string>> Check(kube::Client& client, bool settled = false);

 private:
  std::map<std::string, std::string> node_of_;  // By pod uid.
};

}  // namespace coppice::sim
