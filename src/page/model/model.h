#pragma once

#include <vector>

#include "page/facts/facts.h"
#include "page/model/answers.h"
#include "page/model/numbers.h"
#include "page/model/rows.h"

namespace coppice::page {

// Everything that the page shows of a cluster, by section. Without what changed and where the
// objects come from, which the overview also has.
struct Model {
  OverviewRow overview;
  std::vector<NodeRow> nodes;
  std::vector<QueueRow> queues;
  std::vector<WorkloadRow> workloads;
  // The engine's groups that wait, the oldest first: what to ask it next.
  std::vector<api::ObjectKey> waiting_groups;
};

// Pure. Costs a few microseconds per pod.
Model BuildModel(const Facts& facts, const Answers& answers, Numbers& numbers);

}  // namespace coppice::page
