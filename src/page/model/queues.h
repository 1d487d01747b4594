#pragma once

#include <vector>

#include "page/facts/facts.h"
#include "page/model/answers.h"
#include "page/model/rows.h"

namespace coppice::page {

// The queues, by name. Amounts of KAI queues are the engine's where it knows them; a ClusterQueue
// asks for what its waiting workloads need.
std::vector<QueueRow> QueueRows(const Facts& facts, const Answers& answers,
                                const std::vector<WorkloadRow>& workloads);

}  // namespace coppice::page
