#pragma once

#include "backends/framework/backend.h"

namespace coppice::backends::koordinator {

// Reservations that hold the capacity of the pods named by reuseReservationRef for this gang
// (opt-in: config.reservations). They expire by themselves.
std::vector<DesiredObject> MakeReservations(const GangInput& input);

}  // namespace coppice::backends::koordinator
