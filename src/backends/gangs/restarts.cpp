#include "backends/gangs/restarts.h"

#include <algorithm>

#include "api/grove/pod_gang.h"
#include "api/view/grove.h"
#include "backends/framework/pods.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

// Longer than any client takes from one delete to the next.
constexpr auto kQuiet = std::chrono::seconds(2);
// Deleted gangs leave their entries behind. Forgetting one too early only costs a short wait.
constexpr auto kRemembered = std::chrono::hours(1);

bool IsBlocked(const Value& gang) {
  const view::grove::Condition synced(kube::Condition(gang, api::grove::kGangBackendSynced));
  return synced.status() == "False" && synced.reason() == reasons::kUpdateBlocked;
}

}  // namespace

bool Restarts::Holds(const ClusterView& view, const Value& gang, base::Instant now) {
  const std::lock_guard lock(mutex_);
  const api::ObjectKey key = kube::KeyOf(gang);
  if (!IsBlocked(gang)) {
    watched_.erase(key);
    return false;
  }
  std::set<std::string, std::less<>> staying;
  for (const Value& pod : view.GangPods(key.ns, key.name)) {
    if (Stays(view, pod)) staying.emplace(kube::Uid(pod));
  }
  if (staying.empty()) return true;  // Until the objects are replaced.
  std::erase_if(watched_,
                [&](const auto& known) { return now - known.second.since > kRemembered; });
  const auto [entry, fresh] = watched_.try_emplace(key);
  Watched& watched = entry->second;
  const bool went =
      !std::includes(staying.begin(), staying.end(), watched.pods.begin(), watched.pods.end());
  if (fresh || went) watched.since = now;
  watched.pods = std::move(staying);
  return now - watched.since < kQuiet;
}

}  // namespace coppice::backends
