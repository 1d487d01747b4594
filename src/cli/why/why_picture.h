#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/why/why.h"
#include "cli/why/why_target.h"
#include "engine/explain/explain.h"
#include "kube/executor/executor.h"

namespace coppice::cli {

// What the engine says about groups: the cluster as the scheduler of each node pool sees it, read
// once per pool that is asked about. For one thread.
class Pictures {
 public:
  Pictures(kube::Client& client, kube::Executor& executor, WhyWait wait);
  ~Pictures();

  // Nothing for a pod without a group, on a cluster that has no scheduler of ours, and for those
  // who may not see what it sees. `room_left_until`: what its scheduler has said about that.
  base::Result<std::optional<engine::Explanation>> Explain(
      const WhyTarget& target, std::optional<base::Time> room_left_until);

 private:
  class RightsClient;
  class Picture;
  base::Result<bool> HasScheduler();
  bool MaySeeNodes();

  kube::Client& client_;
  kube::Executor& executor_;
  const WhyWait wait_;
  bool refused_ = false;
  std::map<std::string, std::unique_ptr<Picture>> by_pool_;
};

}  // namespace coppice::cli
