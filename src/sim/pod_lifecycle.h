#pragma once

#include <functional>
#include <optional>

#include "base/clock.h"
#include "json/value.h"

namespace coppice::sim {

// The next step of a simulated node with one of its pods.
struct PodStep {
  std::optional<json::Value> status;    // The pod's new status, if it changes.
  bool remove = false;                  // The pod has terminated: delete it without grace.
  std::optional<base::Duration> again;  // Check again after this time.
};

// True if this init container would have exited successfully by now. Called only for containers
// whose own duration (sim.coppice.dev/init-seconds) is over.
using InitCheck = std::function<bool(const json::Value& pod, const json::Value& container)>;

// One step of a pod's life on a healthy node, a pure function of the pod and the time: init
// containers in order, running, readiness, completion, termination. Restart-safe: all state is in
// the pod's status.
//
// The annotations sim.coppice.dev/{init,ready,run,terminate}-seconds set the duration of each phase
// (defaults: 0, 0, forever, 0), and sim.coppice.dev/exit-code sets the result of the run. Without
// any annotation, a first container with the command `sleep N` runs for N seconds, and one with the
// command `date`, `echo` or `true` in a pod that is not restarted completes immediately.
PodStep AdvancePod(const json::Value& pod, base::Time now, const InitCheck& init_check);

}  // namespace coppice::sim
