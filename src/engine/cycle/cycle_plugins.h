#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "engine/devices/device_planner.h"
#include "engine/filters/numa_planner.h"
#include "engine/filters/pod_affinity.h"
#include "engine/filters/predicates.h"
#include "engine/filters/storage_capacity.h"
#include "engine/framework/framework.h"
#include "engine/scores/gpu_sharing_order.h"
#include "engine/scores/node_availability.h"
#include "engine/scores/node_preference.h"
#include "engine/scores/nominated_node.h"
#include "engine/scores/resource_type.h"
#include "engine/session/session.h"
#include "engine/topology/topology_planner.h"

namespace coppice::engine {

// The plugins of a cycle, as members of the session. At every point they are called in this order,
// which decides which filter's reason is reported for a pod.
inline constexpr std::tuple kCyclePlugins{
    &Session::nominated_node,    &Session::storage,
    &Session::topology,          &Session::pod_affinity,
    &Session::gpu_sharing_order, &Session::node_availability,
    &Session::node_preference,   &Session::predicates,
    &Session::devices,           &Session::numa,
    &Session::resource_type,
};
inline constexpr size_t kCyclePluginCount = std::tuple_size_v<decltype(kCyclePlugins)>;

// The class of the plugin at this index.
template <size_t kIndex>
using CyclePluginAt =
    typename std::remove_reference_t<decltype(std::declval<Session&>().*
                                              std::get<kIndex>(kCyclePlugins))>::element_type;

template <size_t... kIndex>
constexpr bool AllImplementTheirPoints(std::index_sequence<kIndex...>) {
  return (ImplementsItsPoints<CyclePluginAt<kIndex>> && ...);
}
static_assert(AllImplementTheirPoints(std::make_index_sequence<kCyclePluginCount>()));

// Calls `visit(plugin)` for each enabled plugin that implements the point, until one returns false.
// Returns whether all returned true.
template <Point kPoint, typename S, typename Visit>
bool AllOf(S& session, Visit&& visit) {
  const auto one = [&]<size_t kIndex>(std::integral_constant<size_t, kIndex>) {
    if constexpr (Points(CyclePluginAt<kIndex>::kPoints).Has(kPoint)) {
      const auto& plugin = session.*std::get<kIndex>(kCyclePlugins);
      return !plugin || visit(*plugin);
    }
    return true;
  };
  return [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
    return (one(std::integral_constant<size_t, kIndex>()) && ...);
  }(std::make_index_sequence<kCyclePluginCount>());
}

// Calls `visit` for all of them.
template <Point kPoint, typename S, typename Visit>
void ForEach(S& session, Visit&& visit) {
  AllOf<kPoint>(session, [&](auto& plugin) {
    visit(plugin);
    return true;
  });
}

// Creates the enabled plugins, and divides the cluster among the queues.
void OpenPlugins(Session& session, const std::map<std::string, QueueUsage>& usage);

}  // namespace coppice::engine
