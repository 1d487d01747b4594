#include "page/model/queues.h"

namespace coppice::page {
namespace {

constexpr double kMilliPerCore = 1000;
constexpr int64_t kDeepest = 32;  // Of a tree without cycles; queues in a cycle end here.

int64_t DepthOf(const std::map<std::string, QueueFacts>& queues, const std::string& name) {
  int64_t depth = 0;
  auto queue = queues.find(name);
  while (depth < kDeepest) {
    queue = queues.find(queue->second.parent);
    if (queue == queues.end()) return depth;
    ++depth;
  }
  return 0;
}

// The engine counts CPU in millicores, memory in bytes, then GPUs.
void TakeShare(const engine::QueueShare& share, QueueFacts& queue) {
  QueueAmount* const amounts[] = {&queue.cpu, &queue.memory, &queue.gpu};
  const double units[] = {kMilliPerCore, 1, 1};
  for (size_t i = 0; i < std::size(units); ++i) {
    amounts[i]->fair_share = share.fair_share[i] / units[i];
    amounts[i]->held = share.allocated[i] / units[i];
    amounts[i]->asked = share.requested[i] / units[i];
  }
}

}  // namespace

std::vector<QueueRow> QueueRows(const Facts& facts, const Answers& answers,
                                const std::vector<WorkloadRow>& workloads) {
  std::map<std::string_view, double> waiting;
  for (const WorkloadRow& row : workloads) waiting[row.queue] += row.asked;
  std::vector<QueueRow> rows;
  for (const auto& [name, facts_of] : facts.queues) {
    QueueRow row{name, DepthOf(facts.queues, name), facts_of};
    const auto share = answers.shares.find(name);
    if (share != answers.shares.end() && row.facts.kind == "Queue") {
      TakeShare(share->second, row.facts);
    } else if (row.facts.kind == "ClusterQueue") {
      row.facts.gpu.asked = row.facts.gpu.held + waiting[name];
      row.facts.cpu.asked = row.facts.cpu.held;
      row.facts.memory.asked = row.facts.memory.held;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace coppice::page
