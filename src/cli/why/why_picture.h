#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/picture.h"
#include "cli/why/why.h"
#include "cli/why/why_target.h"
#include "engine/model/explanation.h"
#include "engine/model/result.h"
#include "kube/executor/executor.h"

namespace coppice::cli {

// The engine's explanations of groups, from the view of each node pool's scheduler. Each pool is
// read once, on demand. Not thread-safe.
class Pictures {
 public:
  Pictures(kube::Client& client, kube::Executor& executor, WhyWait wait);
  ~Pictures();

  // nullopt for a pod without a group, on a cluster without our scheduler, and for users who may
  // not read what the scheduler reads. `room_left_until`: what its scheduler has reported about
  // that.
  base::Result<std::optional<engine::Explanation>> Explain(
      const WhyTarget& target, std::optional<base::Time> room_left_until);

  // The shares of the queues of a node pool ("" is the default). Empty on a cluster without our
  // scheduler's kinds, and for users who may not read what the scheduler reads.
  base::Result<std::vector<engine::QueueShare>> Shares(const std::string& node_pool);

 private:
  // Null on a cluster without our scheduler, and for users who may not read what it reads.
  base::Result<Picture*> PictureOf(const std::string& node_pool);

  kube::Client& client_;
  kube::Executor& executor_;
  const WhyWait wait_;
  bool refused_ = false;
  std::map<std::string, std::unique_ptr<Picture>> by_pool_;
};

}  // namespace coppice::cli
