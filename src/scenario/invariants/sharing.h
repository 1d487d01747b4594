#pragma once

#include "scenario/invariants/world.h"

namespace coppice::scenario {

// The parts of one GPU that pods were given do not exceed the GPU.
void CheckSharedGpus(const World& world, Violations& out);

// No device is allocated to two claims.
void CheckDevices(const World& world, Violations& out);

// Reservation pods that hold a GPU for nobody. The binder may take a while to notice, so each is a
// violation only when it has been so for a time.
class LeakedReservations {
 public:
  void Check(const World& world, Violations& out);

 private:
  std::map<std::string, base::Time> idle_since_;  // By reservation pod's uid.
};

}  // namespace coppice::scenario
