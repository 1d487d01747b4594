#include "engine/state/jobs/task_order.h"

#include "engine/framework/ordered.h"

namespace coppice::engine {

static_assert(TaskOrderPlugin<KubeflowOrder> && TaskOrderPlugin<RayOrder> &&
              TaskOrderPlugin<TaskPriorityOrder>);

std::vector<uint8_t> ReadTaskOrders(const Configuration& configuration) {
  std::vector<uint8_t> orders;
  for (const auto& plugin : configuration.plugins) {
    const int position = PositionOf<TaskOrders>(plugin.name);
    if (position >= 0 && configuration.Uses(plugin, "disableTaskOrder")) {
      orders.push_back(static_cast<uint8_t>(position));
    }
  }
  return orders;
}

bool TaskInOrder(const std::vector<uint8_t>& orders, const Names& names, const Task& l,
                 const Task& r) {
  if (const int order = CompareBy<TaskOrders>(orders, l, r)) return order < 0;
  if (l.creation != r.creation) return l.creation < r.creation;
  return names.Text(l.uid) < names.Text(r.uid);
}

}  // namespace coppice::engine
