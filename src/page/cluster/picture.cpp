#include "page/cluster/picture.h"

namespace coppice::page {

services::scheduler::Options PictureOptions() {
  services::scheduler::Options options;
  options.take_default_scheduler = true;  // Their pods have the same requirements on nodes.
  options.configuration.surplus_delay = options.surplus_delay;
  return options;
}

Picture::Picture(kube::Runtime runtime, services::scheduler::Options options,
                 std::function<void()> on_change)
    : options_(std::move(options)),
      engine_(options_.configuration),
      feed_(runtime, options_, engine_, assumptions_, std::move(on_change)) {}

void Picture::Apply() {
  std::lock_guard lock(mutex_);
  feed_.Apply();
}

std::map<std::string, engine::QueueShare> Picture::Shares(base::Time now) {
  std::lock_guard lock(mutex_);
  engine_.OpenCycle(now);  // Without actions, a cycle only computes shares.
  engine::CycleResult result = engine_.CloseCycle();
  std::map<std::string, engine::QueueShare> out;
  for (engine::QueueShare& share : result.queues) out[share.queue] = std::move(share);
  return out;
}

std::optional<engine::Explanation> Picture::Explain(const api::ObjectKey& group, base::Time now,
                                                    std::optional<base::Time> room_left_until) {
  std::lock_guard lock(mutex_);
  if (room_left_until) engine_.SetSurplusHeldUntil(group.ns, group.name, *room_left_until);
  return engine_.Explain(group.ns, group.name, now);
}

std::string Picture::GroupOf(const api::ObjectKey& pod) const {
  std::lock_guard lock(mutex_);
  return feed_.foreign().GroupOf(pod);
}

}  // namespace coppice::page
