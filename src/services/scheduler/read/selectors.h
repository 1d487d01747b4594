#pragma once

#include "engine/devices.h"
#include "engine/input.h"
#include "engine/selectors.h"
#include "json/value.h"

// Kubernetes' selector types read into the engine's. Unknown operators match nothing.
namespace coppice::services::scheduler {

engine::Labels ReadLabels(const json::Value& map);
engine::LabelSelector ReadLabelSelector(const json::Value& selector);
engine::NodeSelectorTerm ReadNodeSelectorTerm(const json::Value& term);
engine::NodeSelector ReadNodeSelector(const json::Value& selector);
// `labels`: of the pod whose affinity it is.
engine::Affinity ReadAffinity(const json::Value& affinity, const engine::Labels& labels);
std::vector<engine::Toleration> ReadTolerations(const json::Value& list);
std::vector<engine::Taint> ReadTaints(const json::Value& list);

// Quantities that do not parse are left out.
engine::ResourceList ReadResourceList(const json::Value& map);
// Absent or malformed: none.
std::optional<base::Time> ReadTime(const json::Value& text);
std::optional<base::Duration> ReadDuration(const json::Value& text);

json::Value WriteNodeSelector(const engine::NodeSelector& selector);

}  // namespace coppice::services::scheduler
