#pragma once

#include "backends/framework/backend.h"

namespace coppice::backends {

// Translates a gang with the checks that all backends share (a sound tree, one priority class),
// and with the admission layer in front where the profile asks for it. Pure: `coppice render`,
// admission and the controllers all go through here.
Translation TranslateGang(const SchedulerBackend& backend, const GangInput& input);

// Completes a new pod: schedulerName and marks of the backend, priority class, preference for
// former nodes, the gate. Never touches gates of others.
base::Status PrepareGangPod(const SchedulerBackend& backend, const GangInput& input,
                            const PodSlot& slot, json::Value& pod);

// Everything that a profile's backend reads or writes, its admission layer included.
std::vector<ResourceUse> UsesOf(const SchedulerBackend& backend, const Profile& profile);

// What backend and admission layer say about a gang, and what they need done about it.
Signals GangSignals(const SchedulerBackend& backend, const GangInput& input,
                    std::span<const json::Value> objects, std::span<const json::Value> pods);
Repair GangRepair(const SchedulerBackend& backend, const GangInput& input,
                  std::span<const json::Value> objects, std::span<const json::Value> pods,
                  const std::string& now);

}  // namespace coppice::backends
