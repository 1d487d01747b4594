#pragma once

#include <functional>
#include <optional>

#include "base/clock.h"
#include "json/value.h"

namespace coppice::sim {

// What a simulated node does next with one of its pods.
struct PodStep {
  std::optional<json::Value> status;    // The pod's new status, when it changes.
  bool remove = false;                  // The pod has terminated: delete it without grace.
  std::optional<base::Duration> again;  // Look again after this long.
};

// True when this init container would have exited successfully by now. Asked only for containers
// whose own time (sim.coppice.dev/init-seconds) is over.
using InitCheck = std::function<bool(const json::Value& pod, const json::Value& container)>;

// One step of a pod's life on a healthy node, as a function of the pod and the time alone:
// init containers in order, running, readiness, completion, termination. Restart-safe: all memory
// is in the pod's status.
//
// The annotations sim.coppice.dev/{init,ready,run,terminate}-seconds say how long each phase
// takes (0, 0, for ever, 0) and sim.coppice.dev/exit-code how the run ends. Without any annotation
// a first container whose command is `sleep N` runs for N seconds, and one whose command is `date`,
// `echo` or `true` in a pod that is not to be restarted ends at once.
PodStep AdvancePod(const json::Value& pod, base::Time now, const InitCheck& init_check);

}  // namespace coppice::sim
