#pragma once

#include "backends/framework/backend.h"

namespace coppice::backends {

// Translates a gang, including the checks that all backends share (a valid tree, one priority
// class) and the admission layer if the profile asks for it. Pure; used by `coppice render`,
// admission and the controllers.
Translation TranslateGang(const SchedulerBackend& backend, const GangInput& input);

// Completes a new pod: schedulerName, the backend's metadata, priority class, preference for
// previous nodes, the gate. Never touches other gates.
base::Status PrepareGangPod(const SchedulerBackend& backend, const GangInput& input,
                            const PodSlot& slot, json::Value& pod);

// Everything that a profile's backend reads or writes, including its admission layer.
std::vector<ResourceUse> UsesOf(const SchedulerBackend& backend, const Profile& profile);

// What the backend and the admission layer report about a gang, and the repairs they need.
Signals GangSignals(const SchedulerBackend& backend, const GangInput& input,
                    std::span<const json::Value> objects, std::span<const json::Value> pods);
Repair GangRepair(const SchedulerBackend& backend, const GangInput& input,
                  std::span<const json::Value> objects, std::span<const json::Value> pods,
                  const std::string& now);

}  // namespace coppice::backends
