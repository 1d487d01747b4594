#pragma once

#include <memory>
#include <optional>

#include "engine/actions/actions.h"
#include "engine/cycle/cycle_plugins.h"
#include "engine/registry.h"
#include "engine/state/cluster.h"
#include "engine/topology/topology_planner.h"

namespace coppice::engine::testing {

// A cycle on a cluster without an engine, for tests of the building blocks of actions. Fill
// `cluster`, then call Open.
struct OpenedCycle {
  explicit OpenedCycle(Configuration given = Configuration::Defaults())
      : configuration(std::move(given)), cluster(configuration) {}

  ActionContext& Open(std::function<base::Instant()> stopwatch = nullptr) {
    cluster.Refresh();
    session =
        std::make_unique<Session>(cluster, configuration, ReadPlugins(configuration), base::Time{});
    session->stopwatch = std::move(stopwatch);
    if (!session->plugins.proportion) session->shares.Open({});
    OpenPlugins(*session, {});
    allocator = std::make_unique<Allocator>(*session);
    cluster.BeginCycle();
    return context.emplace(ActionContext{*session, *allocator, lists});
  }

  Configuration configuration;
  Cluster cluster;
  std::unique_ptr<Session> session;
  std::unique_ptr<Allocator> allocator;
  JobLists lists;
  std::optional<ActionContext> context;
};

}  // namespace coppice::engine::testing
