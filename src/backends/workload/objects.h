#pragma once

#include "backends/workload/plan.h"

// Writing a plan as objects of each API shape, in the order in which they must exist.
namespace coppice::backends::workload {

std::vector<DesiredObject> Objects135(const GangInput& input, const Plan& plan);
// 1.36, and 1.37 without composites.
std::vector<DesiredObject> ObjectsFlat(const GangInput& input, const Plan& plan);
std::vector<DesiredObject> ObjectsComposite(const GangInput& input, const Plan& plan);

// Shared by the shapes.
json::Value ControllerRef(const GangInput& input);
json::Value Policy(int64_t min_count);  // {gang: {minCount}} or {basic: {}}
// schedulingConstraints, disruptionMode and priorityClassName, where the API keeps them.
void SetGroupOptions(const Plan& plan, const std::string& topology_key, json::Value& spec);
DesiredObject PodGroupObject(const GangInput& input, const Plan& plan, const Group& group,
                             bool with_workload);

}  // namespace coppice::backends::workload
