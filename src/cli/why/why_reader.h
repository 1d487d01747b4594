#pragma once

#include <memory>

#include "base/result.h"
#include "cli/why/why.h"
#include "cli/why/why_target.h"
#include "engine/model/explanation.h"

namespace coppice::cli {

// Explains targets one by one. The first obstacle is reported first, from the object that creates
// pods to the containers of pods that have a node. Both must outlive it. Not thread-safe.
class WhyReader {
 public:
  WhyReader(kube::Client& client, kube::Executor& executor, const WhyWait& wait = {});
  // With an engine that has read the cluster already, at the time of the clock.
  WhyReader(kube::Client& client, const base::Clock& clock, WhyEngine engine);
  ~WhyReader();

  base::Result<engine::Explanation> Explain(const WhyTarget& target);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice::cli
