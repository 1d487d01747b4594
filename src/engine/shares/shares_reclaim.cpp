#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/shares/shares.h"

// Who may reclaim from whom (docs/behaviour/engine.md S-71 to S-74).

namespace coppice::engine {

std::vector<QueueId> Shares::Path(QueueId queue) const {
  std::vector<QueueId> path;
  for (QueueId at = queue; at != kNone; at = cluster_.queues()[at].parent) path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

std::pair<QueueId, QueueId> Shares::Levelled(QueueId a, QueueId b) const {
  const auto pa = Path(a), pb = Path(b);
  const size_t common = std::min(pa.size(), pb.size());
  for (size_t i = 0; i < common; ++i) {
    if (pa[i] != pb[i]) return {pa[i], pb[i]};
  }
  return {pa[common - 1], pb[common - 1]};
}

bool Shares::CanReclaim(QueueId id, const Quantities& request, bool preemptible) const {
  const Queue& queue = cluster_.queues()[id];
  if (!queue.spec->reclaims) return false;
  if (!WithinAll(queue.allocated.ToQuantities() + request, queue.fair_share)) return false;
  return preemptible ||
         WithinAll(queue.allocated_non_preemptible.ToQuantities() + request, queue.deserved);
}

bool Shares::IsReclaimVictim(QueueId reclaimer, const Quantities& request, QueueId victim) const {
  const auto [a, b] = Levelled(reclaimer, victim);
  const Queue& mine = cluster_.queues()[a];
  const Queue& theirs = cluster_.queues()[b];
  const Quantities used = theirs.allocated.ToQuantities();
  if (!WithinAll(mine.allocated.ToQuantities() + request, mine.deserved)) {
    return !WithinAll(used, SharesOf(theirs));
  }
  bool below = false;
  for (int i = 0; i < 3; ++i) {
    if (request[i] <= 0 || theirs.deserved[i] == kUnlimited) continue;
    if (used[i] > theirs.deserved[i]) return true;
    below |= used[i] < theirs.deserved[i];
  }
  return !below;
}

bool Shares::ReclaimAllowed(QueueId reclaimer, const Quantities& request, bool preemptible,
                            const VictimBundles& victims) const {
  std::map<QueueId, Quantities> remaining;
  std::map<QueueId, uint32_t> involved;  // Bits of the resources that are taken from the queue.
  for (const auto& [leaf, bundles] : victims) {
    const auto [a, b] = Levelled(reclaimer, leaf);
    const Queue& mine = cluster_.queues()[a];
    const Queue& theirs = cluster_.queues()[b];
    const bool within_quota =
        WithinAll(allocated_before_[a].ToQuantities() + request, mine.deserved);
    uint32_t bits = 0;
    for (const auto& bundle : bundles) {
      const auto found = remaining.find(b);
      const Quantities left =
          found == remaining.end() ? allocated_before_[b].ToQuantities() : found->second;
      const bool over_share = !WithinAll(left, SharesOf(theirs));
      const bool over_quota = within_quota && !WithinAll(left, theirs.deserved);
      if (!over_share && !over_quota) return false;
      for (QueueId at = leaf; at != kNone; at = cluster_.queues()[at].parent) {
        auto [entry, added] = remaining.try_emplace(at, allocated_before_[at].ToQuantities());
        entry->second -= bundle.amount.ToQuantities();
      }
      bits |= bundle.resources;
    }
    for (QueueId at = leaf; at != kNone; at = cluster_.queues()[at].parent) involved[at] |= bits;
  }
  return SiblingsAllow(reclaimer, request, preemptible, remaining, involved);
}

std::optional<int64_t> Shares::MostReclaimable(QueueId reclaimer, const Quantities& request,
                                               QueueId victim, int64_t smallest,
                                               int64_t largest) const {
  const auto [a, b] = Levelled(reclaimer, victim);
  const Queue& theirs = cluster_.queues()[b];
  for (int i = 0; i < 2; ++i) {
    if (Share(theirs, i) != kUnlimited || theirs.deserved[i] != kUnlimited) return std::nullopt;
  }
  double keep = Share(theirs, 2);
  const Queue& mine = cluster_.queues()[a];
  if (WithinAll(mine.allocated.ToQuantities() + request, mine.deserved) &&
      theirs.deserved[2] != kUnlimited) {
    keep = keep == kUnlimited ? theirs.deserved[2] : std::min(keep, theirs.deserved[2]);
  }
  if (keep == kUnlimited) return 0;
  const double over = static_cast<double>(theirs.allocated[2]) - keep;
  if (over <= 0) return 0;
  // Steps continue until the queue is at what it keeps, so the last one may overshoot.
  if (smallest == largest && largest > 0) {
    return static_cast<int64_t>(std::ceil(over / static_cast<double>(largest))) * largest;
  }
  return static_cast<int64_t>(std::ceil(over)) + largest;
}

bool Shares::SiblingsAllow(QueueId reclaimer, const Quantities& request, bool preemptible,
                           const std::map<QueueId, Quantities>& remaining,
                           const std::map<QueueId, uint32_t>& involved) const {
  const auto ratio = [](double left, double share) {
    if (share == kUnlimited) return 0.0;
    if (share != 0) return left / share;
    return left > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  };
  for (QueueId x = reclaimer; x != kNone; x = cluster_.queues()[x].parent) {
    const Queue& mine = cluster_.queues()[x];
    const auto before = remaining.find(x);
    Quantities with =
        before == remaining.end() ? allocated_before_[x].ToQuantities() : before->second;
    with += request;
    for (const auto& [y, left] : remaining) {
      const Queue& other = cluster_.queues()[y];
      if (y == x || other.parent != mine.parent) continue;
      for (int i = 0; i < 3; ++i) {
        if (!(involved.at(y) >> i & 1) && request[i] <= 0) continue;
        const double fx = mine.fair_share[i], fy = other.fair_share[i];
        if (fx == kUnlimited && fy == kUnlimited) continue;
        const double rx = ratio(with[i], fx);
        if (rx > 1 && fy > 0 && rx * plugins_.saturation_multiplier >= ratio(left[i], fy)) {
          return false;
        }
      }
    }
    if (!preemptible &&
        !WithinAll(non_preemptible_before_[x].ToQuantities() + request, mine.deserved)) {
      return false;
    }
  }
  return true;
}

std::pair<QueueId, QueueId> Shares::QueuesForEviction(QueueId victim, QueueId reclaimer) const {
  const QueueId pv = cluster_.queues()[victim].parent, pr = cluster_.queues()[reclaimer].parent;
  if (pv == pr) return {victim, reclaimer};
  return {pv == kNone ? victim : pv, pr == kNone ? reclaimer : pr};
}

std::string Shares::DescribeForEviction(QueueId id) const {
  const Queue& queue = cluster_.queues()[id];
  const auto text = [](const Quantities& amount) {
    return fmt::format("GPU: {}, CPU: {} (cores), memory: {} (GB)",
                       HumanAmount(amount[2], kGpuUnit), HumanAmount(amount[0], 1000),
                       HumanAmount(amount[1], 1e9));
  };
  return fmt::format(
      "{} uses <{}> with a quota of <{}>, fair-share of <{}> and queue priority of <{}>.",
      queue.spec->display_name.empty() ? queue.spec->name : queue.spec->display_name,
      text(allocated_before_[id].ToQuantities()), text(queue.deserved), text(queue.fair_share),
      queue.priority);
}

}  // namespace coppice::engine
