#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/view/kai.h"
#include "engine/model/input.h"
#include "json/value.h"

// Nodes, queues, pod groups and topologies read into the engine's form.
namespace coppice::services::scheduler {

engine::NodeSpec ReadNode(const json::Value& node);
engine::QueueSpec ReadQueue(const json::Value& queue);
engine::TopologySpec ReadTopology(const json::Value& topology);

// Priorities by class name.
class PriorityClasses {
 public:
  void Put(const json::Value& priority_class);
  void Remove(const std::string& name);
  // Of the named class, else of the global default, else 50.
  int64_t Resolve(const std::string& name) const;

 private:
  std::map<std::string, int64_t> values_;
  std::map<std::string, int64_t> global_;
};

inline constexpr int64_t kDefaultPriority = 50;
inline constexpr int64_t kNonPreemptiblePriority = 100;

engine::PodGroupSpec ReadPodGroup(const json::Value& group, const PriorityClasses& classes,
                                  std::string_view node_pool_key);

// True when the group may only be tried once per node pool and has been
// (docs/behaviour/scheduler.md S-10).
bool IsBackedOff(const json::Value& group, std::string_view node_pool_key);
// The scheduling condition with the highest transition id; an empty view when there is none.
view::kai::SchedulingCondition LatestSchedulingCondition(view::kai::PodGroup group);
// The PodCliqueSet that a gang or its PodGroup is part of; empty: of none.
std::string SetOf(const json::Value& gang);
std::string NodePoolOf(const json::Value& group, std::string_view node_pool_key);

}  // namespace coppice::services::scheduler
