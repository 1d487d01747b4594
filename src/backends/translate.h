#pragma once

#include "backends/backend.h"

namespace coppice::backends {

// Translates a gang with the checks that all backends share (a sound tree, one priority class),
// and with the admission layer in front where the profile asks for it. Pure: `coppice render`,
// admission and the controllers all go through here.
Translation TranslateGang(const SchedulerBackend& backend, const GangInput& input);

// Completes a new pod: schedulerName and marks of the backend, priority class, preference for
// former nodes, the gate. Never touches gates of others.
base::Status PrepareGangPod(const SchedulerBackend& backend, const GangInput& input,
                            const PodSlot& slot, json::Value& pod);

// Whether a scheduling gate is on the pod.
bool HasGate(const json::Value& pod, std::string_view gate);

}  // namespace coppice::backends
