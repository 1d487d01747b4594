#pragma once

#include <vector>

#include "page/facts/facts.h"
#include "page/model/places.h"
#include "page/model/rows.h"
#include "page/model/workloads.h"

namespace coppice::page {

// The nodes with what their GPUs hold, by name. Adds GPUs to the overview.
std::vector<NodeRow> NodeRows(const Facts& facts, const Places& places, const Workloads& workloads,
                              OverviewRow& overview);

}  // namespace coppice::page
