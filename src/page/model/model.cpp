#include "page/model/model.h"

#include <algorithm>
#include <map>

#include "page/facts/levels.h"
#include "page/model/nodes.h"
#include "page/model/queues.h"
#include "page/model/workloads.h"

namespace coppice::page {
namespace {

// The most GPUs first.
std::vector<ReasonRow> CountReasons(const std::vector<WorkloadRow>& workloads) {
  std::map<std::string_view, ReasonRow> counts;
  for (const WorkloadRow& row : workloads) {
    if (!row.Waits()) continue;
    ReasonRow& count = counts[row.reason];
    count.reason = row.reason;
    ++count.workloads;
    count.asked += row.asked;
  }
  std::vector<ReasonRow> out;
  for (auto& [reason, count] : counts) out.push_back(std::move(count));
  std::stable_sort(out.begin(), out.end(), [](const ReasonRow& a, const ReasonRow& b) {
    return std::tie(a.asked, a.workloads) > std::tie(b.asked, b.workloads);
  });
  return out;
}

}  // namespace

Model BuildModel(const Facts& facts, const Answers& answers, Numbers& numbers) {
  Model model;
  model.overview.levels = LevelsOf(facts.topologies, facts.nodes);
  const Places places(facts.nodes, model.overview.levels);
  Workloads workloads(facts, answers, places, numbers);
  model.workloads = workloads.Rows();
  model.nodes = NodeRows(facts, places, workloads, model.overview);
  model.queues = QueueRows(facts, answers, model.workloads);
  model.waiting_groups = workloads.WaitingGroups();
  model.overview.workloads = static_cast<int64_t>(model.workloads.size());
  model.overview.reasons = CountReasons(model.workloads);
  return model;
}

}  // namespace coppice::page
