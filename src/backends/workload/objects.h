#pragma once

#include "backends/workload/plan.h"

// Writes a plan as objects of each API shape, in the order in which they must be created.
namespace coppice::backends::workload {

std::vector<DesiredObject> Objects135(const GangInput& input, const Plan& plan);
// 1.36, and 1.37 without composites.
std::vector<DesiredObject> ObjectsFlat(const GangInput& input, const Plan& plan);
std::vector<DesiredObject> ObjectsComposite(const GangInput& input, const Plan& plan);

}  // namespace coppice::backends::workload
