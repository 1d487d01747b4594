#include "engine/shares/fair_share.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace coppice::engine {
namespace {

using Band = std::vector<ShareRequest*>;
using Leftovers = std::map<ShareRequest*, double>;

double Requestable(const ShareRequest& queue) {
  return queue.limit == -1 ? queue.request : std::min(queue.limit, queue.request);
}

double Want(const ShareRequest& queue) { return Requestable(queue) - queue.fair_share; }

bool Satisfied(const ShareRequest& queue) {
  return queue.request <= queue.fair_share ||
         (queue.limit != -1 && queue.limit <= queue.fair_share);
}

double GiveDeserved(double total, std::span<ShareRequest> queues) {
  double remaining = total;
  for (auto& queue : queues) {
    const double deserved = queue.deserved == -1 ? total : queue.deserved;
    const double given = std::min(deserved, Requestable(queue));
    queue.fair_share += given;
    remaining -= given;
  }
  return remaining;
}

// Shares of the unsatisfied queues, by index in the band; empty if none has a claim.
std::vector<double> Weights(const Band& band, double k) {
  double weights = 0, sum = 0;
  for (const auto* queue : band) weights += Want(*queue) > 0 ? queue->weight : 0;
  if (weights == 0) return {};
  std::vector<double> shares(band.size());
  for (size_t i = 0; i < band.size(); ++i) {
    if (Want(*band[i]) <= 0) continue;
    const double weight = band[i]->weight / weights;
    shares[i] = std::max(0.0, weight + k * (weight - band[i]->usage));
    sum += shares[i];
  }
  if (sum == 0) return {};
  for (auto& share : shares) share /= sum;
  return shares;
}

// One round; true if a queue was satisfied with less than its share, so that there is more for the
// others.
bool Round(const Band& band, const std::vector<double>& shares, double unit, double& remaining,
           Leftovers& leftovers) {
  bool again = false;
  const double give = remaining;
  for (size_t i = 0; i < band.size() && remaining != 0; ++i) {
    ShareRequest& queue = *band[i];
    if (Satisfied(queue) || queue.weight == 0) continue;
    const double want = std::max(Want(queue), 0.0);
    const double share = give * shares[i];
    double given = want;
    if (want <= share) {
      leftovers.erase(&queue);
    } else {
      given = unit > 0 ? std::floor(share / unit) * unit : share;
      if (share - given > 0) leftovers[&queue] = share - given;
    }
    if (given == 0) continue;
    queue.fair_share += given;
    remaining -= given;
    again |= want < share;
  }
  return again;
}

double GiveLeftovers(const Leftovers& leftovers, double unit, Leftover how, double remaining) {
  std::vector<std::pair<ShareRequest*, double>> order(leftovers.begin(), leftovers.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    if (a.second != b.second) return a.second > b.second;
    if (a.first->creation != b.first->creation) return a.first->creation < b.first->creation;
    return a.first->name_rank < b.first->name_rank;
  });
  for (auto& [queue, fraction] : order) {
    if (remaining <= 0) break;
    double given = std::min(unit, remaining);
    if (how == Leftover::kAsRequested) given = std::clamp(Want(*queue), 0.0, given);
    queue->fair_share += given;
    remaining -= given;
  }
  return remaining;
}

}  // namespace

void DivideFairShare(double total, double k, double unit, std::span<ShareRequest> queues,
                     Leftover leftover) {
  double remaining = GiveDeserved(total, queues);
  if (remaining <= 0) return;
  std::map<int, Band, std::greater<>> bands;
  for (auto& queue : queues) bands[queue.priority].push_back(&queue);
  std::map<int, Leftovers, std::greater<>> leftovers;
  for (auto& [priority, band] : bands) {
    while (remaining != 0) {
      const auto shares = Weights(band, k);
      if (shares.empty() || !Round(band, shares, unit, remaining, leftovers[priority])) break;
    }
  }
  for (auto& [priority, left] : leftovers) {
    if (remaining > 0) remaining = GiveLeftovers(left, unit, leftover, remaining);
  }
}

}  // namespace coppice::engine
