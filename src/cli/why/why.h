#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/picture.h"
#include "cli/common/view_flags.h"
#include "cli/why/why_target.h"
#include "engine/model/explanation.h"
#include "json/value.h"

namespace coppice::cli {

struct WhyOptions {
  ViewFlags view;
  // A pod, PodGroup, gang, set or owner of pods, as one word or as kind and name; none: all that
  // waits.
  std::vector<std::string> target;
};

// Explains why something waits: reads the cluster into the engine and asks it. Works on any cluster
// and writes nothing.
int RunWhy(const WhyOptions& options);

// The same on an existing client, with one explanation per gang (see why_format.h). `wait` blocks
// until a condition is true on the executor, and returns whether that happened in time.
using WhyWait = PictureWait;
base::Result<json::Value> ReadWhy(kube::Client& client, kube::Executor& executor,
                                  const std::string& ns, const std::string& target,
                                  const WhyWait& wait = {});

// What the engine says about a target; nullopt if it does not know it. `room_left_until`: what the
// target's scheduler has reported about that.
using WhyEngine = std::function<base::Result<std::optional<engine::Explanation>>(
    const WhyTarget& target, std::optional<base::Time> room_left_until)>;
// The same with an engine that has read the cluster already, at the time of the clock.
base::Result<json::Value> ReadWhy(kube::Client& client, const base::Clock& clock,
                                  const std::string& ns, const std::string& target,
                                  const WhyEngine& engine);

}  // namespace coppice::cli
