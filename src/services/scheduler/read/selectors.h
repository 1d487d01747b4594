#pragma once

#include "api/view/core.h"
#include "api/view/meta.h"
#include "api/view/resource.h"
#include "engine/model/devices.h"
#include "engine/model/input.h"
#include "engine/model/selectors.h"
#include "json/value.h"

// Kubernetes' selector types read into the engine's. Unknown operators match nothing.
namespace coppice::services::scheduler {

engine::Labels ReadLabels(view::Map<std::string_view> map);
engine::LabelSelector ReadLabelSelector(view::meta::LabelSelector selector);
engine::NodeSelector ReadNodeSelector(view::core::NodeSelector selector);
// `labels`: of the pod whose affinity it is.
engine::Affinity ReadAffinity(view::core::Affinity affinity, const engine::Labels& labels);
std::vector<engine::Toleration> ReadTolerations(view::List<view::core::Toleration> list);
std::vector<engine::Toleration> ReadTolerations(view::List<view::resource::DeviceToleration> list);
std::vector<engine::Taint> ReadTaints(view::List<view::core::Taint> list);
std::vector<engine::Taint> ReadTaints(view::List<view::resource::DeviceTaint> list);

// Quantities that do not parse are left out.
engine::ResourceList ReadResourceList(view::Quantities map);
// Absent ("") or malformed: none.
std::optional<base::Time> ReadTime(std::string_view text);
std::optional<base::Duration> ReadDuration(std::string_view text);

json::Value WriteNodeSelector(const engine::NodeSelector& selector);

}  // namespace coppice::services::scheduler
