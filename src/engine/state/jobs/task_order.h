#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "engine/framework/framework.h"
#include "engine/model/config.h"
#include "engine/state/jobs/task.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// The kubeflow plugin: masters and launchers first.
struct KubeflowOrder {
  static constexpr std::string_view kName = "kubeflow";
  static int Compare(const Task& l, const Task& r) { return r.kubeflow_leader - l.kubeflow_leader; }
};

// The ray plugin: the head first.
struct RayOrder {
  static constexpr std::string_view kName = "ray";
  static int Compare(const Task& l, const Task& r) { return r.ray_leader - l.ray_leader; }
};

// The taskorder plugin: by the label kai.scheduler/task-priority, larger first. Tasks whose label
// is not a number follow, then those without the label.
struct TaskPriorityOrder {
  static constexpr std::string_view kName = "taskorder";
  static int Compare(const Task& l, const Task& r) {
    if (!l.has_priority && !r.has_priority) return 0;
    if (l.has_priority != r.has_priority) return l.has_priority ? -1 : 1;
    if (l.bad_priority != r.bad_priority) return r.bad_priority ? -1 : 1;
    if (l.bad_priority || l.priority == r.priority) return 0;
    return l.priority > r.priority ? -1 : 1;
  }
};

// All task orders.
using TaskOrders = std::tuple<KubeflowOrder, RayOrder, TaskPriorityOrder>;

// Indices of the TaskOrders that the configuration enables, in its order.
std::vector<uint8_t> ReadTaskOrders(const Configuration& configuration);

// Whether `l` is served before `r` within one sub-group (docs/behaviour/engine.md S-79).
bool TaskInOrder(const std::vector<uint8_t>& orders, const Names& names, const Task& l,
                 const Task& r);

}  // namespace coppice::engine
