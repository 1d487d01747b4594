#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/view/core.h"
#include "base/clock.h"
#include "kube/client/client.h"

namespace coppice::backends {

// Signs that schedulers run on a cluster: Leases that are currently held, the containers of running
// pods, and recent Events that name the scheduler of a pod.
class SchedulerSigns {
 public:
  static SchedulerSigns Read(kube::Client& client, base::Time now);

  // Whether there is a sign of this backend's scheduler; nullopt if we may not read any.
  std::optional<bool> Seen(std::string_view backend, std::string_view scheduler_name) const;

 private:
  void ReadLeases(kube::Client& client, base::Time now);
  void ReadPods(kube::Client& client);
  void ReadContainer(view::core::Container container);
  void ReadEvents(kube::Client& client, base::Time now);

  bool may_see_ = false;
  std::set<std::string, std::less<>> names_;  // From Leases, containers and --scheduler-name flags.
  std::vector<std::string> words_;            // Images and commands of containers.
  std::set<std::string, std::less<>> reporters_;  // Of Scheduled Events of pods.
};

// Held by `coppice up` while its embedded scheduler, which needs no leader election, runs.
inline constexpr const char* kEmbeddedSchedulerLease = "coppice-up-scheduler";

}  // namespace coppice::backends
