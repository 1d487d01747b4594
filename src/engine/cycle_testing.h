#pragma once

#include <memory>
#include <optional>

#include "engine/actions/actions.h"
#include "engine/devices/device_planner.h"
#include "engine/placement/numa_planner.h"
#include "engine/state/cluster.h"
#include "engine/topology/topology_planner.h"

namespace coppice::engine::testing {

// A cycle opened on a cluster without an engine around it, for tests of the parts that actions are
// made of. Tell `cluster` everything, then Open.
struct OpenedCycle {
  explicit OpenedCycle(Configuration given = Configuration::Defaults())
      : configuration(std::move(given)), cluster(configuration) {}

  ActionContext& Open(std::function<base::Instant()> stopwatch = nullptr) {
    cluster.Refresh({});
    session =
        std::make_unique<Session>(cluster, configuration, ReadPlugins(configuration), base::Time{});
    session->stopwatch = std::move(stopwatch);
    session->shares.Open({});
    if (session->plugins.topology) session->topology = std::make_unique<TopologyPlanner>(*session);
    predicates = std::make_unique<Predicates>(*session);
    allocator = std::make_unique<Allocator>(*session, predicates.get());
    cluster.in_cycle = true;
    cluster.journal.Start();
    return context.emplace(ActionContext{*session, predicates.get(), *allocator, lists});
  }

  Configuration configuration;
  Cluster cluster;
  std::unique_ptr<Session> session;
  std::unique_ptr<Predicates> predicates;
  std::unique_ptr<Allocator> allocator;
  JobLists lists;
  std::optional<ActionContext> context;
};

}  // namespace coppice::engine::testing
