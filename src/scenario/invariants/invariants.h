#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/process/manager.h"
#include "scenario/invariants/fresh_binds.h"
#include "scenario/invariants/gates.h"
#include "scenario/invariants/sharing.h"
#include "scenario/invariants/world.h"

namespace coppice::scenario {

// What must hold at every moment of every scenario, whatever happens. Keeps what it saw, so that
// it also notices what may never change.
//
// - No node and no shared GPU holds more than it has, and no device is given to two claims.
// - A pod that was bound is never seen on another node.
// - No bind takes a queue beyond its limit, or leaves a gang without its minimum.
// - Gates are only taken off by their owners, and no pod is bound behind one.
// - Reservation pods go when nobody uses them.
// - The components' cache equals the API (when a manager at rest is given).
class Invariants {
 public:
  struct Scope {
    // How long a gang may be bound in part: not at all, unless something has crashed.
    base::Duration gang_grace{};
    kube::Manager* at_rest = nullptr;  // Its cache is compared.
  };

  // Every violation in words; empty when all hold.
  base::Result<Violations> Check(kube::Client& client, base::Time now, const Scope& scope);
  // After something that the scenario itself did to pods: what it shows now is given.
  base::Status Accept(kube::Client& client, base::Time now);

 private:
  FreshPods NoteBinds(const World& world, Violations& out);

  std::map<std::string, std::string> node_of_;  // By pod uid.
  ShortGangs gangs_;
  Gates gates_;
  LeakedReservations reservations_;
};

}  // namespace coppice::scenario
