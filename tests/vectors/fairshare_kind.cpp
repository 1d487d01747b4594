// Kind fairshare: one division of one pool among sibling queues.

#include <fmt/format.h>

#include <cmath>

#include "engine/shares/fair_share.h"
#include "tests/vectors/kind.h"

namespace coppice::vectors {
namespace {

Outcome RunFairShare(const json::Value& value) {
  Outcome outcome;
  for (const char* resource : {"cpu", "memory", "gpu"}) {
    std::vector<engine::ShareRequest> queues;
    for (const auto& item : value["queues"].Items()) {
      const json::Value& part = item[resource];
      engine::ShareRequest queue;
      queue.deserved = part["deserved"].AsDouble();
      queue.limit = part["limit"].AsDouble();
      queue.weight = part["overQuotaWeight"].AsDouble();
      queue.usage = part["usage"].AsDouble();
      queue.request = part["request"].AsDouble();
      queue.priority = static_cast<int>(item["priority"].AsInt());
      queue.creation = base::Time(std::chrono::seconds(item["createdSeconds"].AsInt()));
      queue.name_rank = static_cast<int>(queues.size());
      queues.push_back(queue);
    }
    engine::DivideFairShare(value["total"][resource].AsDouble(), value["k"].AsDouble(), 1, queues);
    for (size_t i = 0; i < queues.size(); ++i) {
      const std::string name = value["queues"].At(i)["name"].ToString();
      const double wanted = value["fairShare"][name][resource].AsDouble();
      if (std::abs(queues[i].fair_share - wanted) > 1e-6 * std::max(1.0, std::abs(wanted))) {
        outcome.differences.push_back(fmt::format("fairShare.{}.{}: expected {}, got {}", name,
                                                  resource, wanted, queues[i].fair_share));
      }
    }
  }
  return outcome;
}

const KindRegistration kFairShare{"fairshare", RunFairShare};

}  // namespace
}  // namespace coppice::vectors
