#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "engine/engine.h"
#include "kube/process/manager.h"
#include "page/model/answers.h"
#include "services/scheduler/feed/assumptions.h"
#include "services/scheduler/feed/feed.h"
#include "services/scheduler/options/options.h"

namespace coppice::page {

// The cluster in the scheduling engine, which answers questions and decides nothing. Pods of the
// default scheduler are in it too. Thread-safe.
class Picture {
 public:
  // `on_change` is called, from any thread, when there is something to apply.
  Picture(kube::Runtime runtime, services::scheduler::Options options,
          std::function<void()> on_change);

  // Before the manager starts.
  base::Status Watch() { return feed_.Watch(); }
  // Takes in what has changed.
  void Apply();

  // Fair share, allocation and request of each queue.
  std::map<std::string, engine::QueueShare> Shares(base::Time now);
  // nullopt for a group that the engine does not know. `room_left_until`: what the group's
  // scheduler has reported about that (see Engine::SetSurplusHeldUntil).
  std::optional<engine::Explanation> Explain(const api::ObjectKey& group, base::Time now,
                                             std::optional<base::Time> room_left_until = {});
  // The engine's group of a pod without a PodGroup; "" if there is none.
  std::string GroupOf(const api::ObjectKey& pod) const;

 private:
  const services::scheduler::Options options_;
  mutable std::mutex mutex_;  // Guards all below.
  engine::Engine engine_;
  services::scheduler::Assumptions assumptions_;
  services::scheduler::Feed feed_;
};

// The options for a cluster whose schedulers' settings nobody knows.
services::scheduler::Options PictureOptions();

}  // namespace coppice::page
