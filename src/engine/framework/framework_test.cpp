#include "engine/framework/framework.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/cycle/cycle_plugins.h"
#include "engine/framework/ordered.h"
#include "engine/model/config.h"
#include "engine/order/job_rank.h"
#include "engine/registry.h"
#include "engine/state/jobs/task_order.h"

namespace coppice::engine {
namespace {

// The points of a plugin's classes, by plugin name.
std::map<std::string_view, Points> PointsOfClasses() {
  std::map<std::string_view, Points> points;
  [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
    ((points[CyclePluginAt<kIndex>::kName] =
          points[CyclePluginAt<kIndex>::kName] | CyclePluginAt<kIndex>::kPoints),
     ...);
  }(std::make_index_sequence<kCyclePluginCount>());
  return points;
}

TEST(PluginTable, HasEveryNameOnceAndAllOfTheBuiltInConfiguration) {
  std::set<std::string_view> names;
  for (const PluginEntry& entry : PluginTable()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
  }
  for (const PluginConfig& plugin : DefaultPlugins()) EXPECT_TRUE(FindPlugin(plugin.name));
  EXPECT_FALSE(FindPlugin("nobody"));
}

TEST(PluginTable, SaysWhichPointsTheClassesOfAPluginTakePartIn) {
  auto points = PointsOfClasses();
  points.erase(StorageCapacity::kName);  // Enabled by a flag.
  for (const auto& [name, taken] : points) {
    const PluginEntry* entry = FindPlugin(name);
    ASSERT_TRUE(entry) << name;
    EXPECT_EQ(entry->points, taken) << name;
  }
}

TEST(PluginTable, KnowsEveryOrder) {
  const auto check = [](Point point, auto position) {
    for (const PluginEntry& entry : PluginTable()) {
      EXPECT_EQ(entry.points.Has(point), position(entry.name) >= 0) << entry.name;
    }
  };
  check(Point::kJobOrder, PositionOf<JobOrders>);
  check(Point::kTaskOrder, PositionOf<TaskOrders>);
}

TEST(ActionTable, HasTheActionsOfTheBuiltInConfiguration) {
  std::vector<std::string> names;
  for (const ActionEntry& entry : ActionTable()) names.emplace_back(entry.name);
  EXPECT_EQ(names, Configuration::Defaults().actions);
}

}  // namespace
}  // namespace coppice::engine
