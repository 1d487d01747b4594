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

// Signs that schedulers run on a cluster: Leases that are held now, what running pods run, and
// Events of the last minutes that say who scheduled a pod.
class SchedulerSigns {
 public:
  static SchedulerSigns Read(kube::Client& client, base::Time now);

  // Whether the scheduler of a backend shows any; nullopt where none may be seen.
  std::optional<bool> Seen(std::string_view backend, std::string_view scheduler_name) const;

 private:
  void ReadLeases(kube::Client& client, base::Time now);
  void ReadPods(kube::Client& client);
  void ReadContainer(view::core::Container container);
  void ReadEvents(kube::Client& client, base::Time now);

  bool may_see_ = false;
  std::set<std::string, std::less<>> names_;      // Of Leases, containers, and by --scheduler-name.
  std::vector<std::string> words_;                // Images and commands of containers.
  std::set<std::string, std::less<>> reporters_;  // Of Events about pods that were scheduled.
};

// Held by `coppice up` as long as its own scheduler runs, which needs no election.
inline constexpr const char* kEmbeddedSchedulerLease = "coppice-up-scheduler";

}  // namespace coppice::backends
