#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/config.h"
#include "engine/model/explanation.h"
#include "engine/model/result.h"
#include "engine/state/values/names.h"

// The extension points of a decision with the type that each point requires. engine/registry.h has
// the tables of plugins and actions.
//
// Points that run for every node or every pair of jobs are concepts, not base classes: the
// framework calls plugins by their type, so that a plugin costs a direct call, and one that is off
// or does not apply to a task costs nothing. docs/behaviour/engine.md shows how to add a plugin or
// an action.

namespace coppice::engine {

struct JobRank;
struct Session;
struct Task;

enum class Point : uint16_t {
  kFilter = 1 << 0,         // Whether a pod may be on a node.
  kScore = 1 << 1,          // Which of the nodes is best for it.
  kNodeSets = 1 << 2,       // Which parts of the cluster to try for a sub-group: TopologyPlanner.
  kGpuOrder = 1 << 3,       // Which shared GPU of a node to use first: ChooseGpus.
  kReserve = 1 << 4,        // Own accounting that follows a statement's placements and rollbacks.
  kJobOrder = 1 << 5,       // Which job of a queue is served first, and evicted last.
  kSubGroupOrder = 1 << 6,  // Which sub-group of a job is served first: Gang::OrderedMembers.
  kTaskOrder = 1 << 7,      // Which pod of a sub-group is served first.
  kShare = 1 << 8,          // What each queue deserves, and which queue is served first: Shares.
  kVictims = 1 << 9,        // Which jobs may be evicted for whom: Shares, MinRuntime.
  kVictimOrder = 1 << 10,   // Which sets of victims are tried first: ScenarioSource.
  kExplain = 1 << 11,       // What a pod lacks regardless of the node, and how to fix it.
  // Implemented outside the engine; known here so that its name is not an error.
  kOutside = 1 << 12,
};

class Points {
 public:
  constexpr Points() = default;
  constexpr Points(Point point) : bits_(static_cast<uint16_t>(point)) {}  // NOLINT: a set of one
  constexpr bool Has(Point point) const { return bits_ & static_cast<uint16_t>(point); }
  friend constexpr Points operator|(Points a, Points b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(Points a, Points b) = default;

 private:
  uint16_t bits_ = 0;
};
constexpr Points operator|(Point a, Point b) { return Points(a) | Points(b); }

// ---- The points that are concepts ----------------------------------------------------------

// Every plugin of a cycle: a class that is constructed when the cycle opens, if the configuration
// enables it, and destroyed when the cycle closes. `kName` is its name in the configuration.
template <typename P>
concept CyclePlugin = requires(Session& session, const Session& constant) {
  { P::kName } -> std::convertible_to<std::string_view>;
  { P::kPoints } -> std::convertible_to<Points>;
  { P::kTimed } -> std::convertible_to<bool>;  // Whether to measure how long it takes to open.
  { P::On(constant) } -> std::same_as<bool>;
  P(session);
};

// kFilter. All filters must pass; they run in order, and the first that fails gives the reason.
// `why` receives the reasons; it is null if the caller does not need them. Many filters also have a
// PreFilter, which runs once per attempt to place a task and returns why it fits on no node at all.
template <typename P>
concept FilterPlugin =
    requires(const P& plugin, TaskId task, NodeId node, std::vector<std::string>* why) {
      { plugin.Filter(task, node, why) } -> std::same_as<bool>;
    };
template <typename P>
concept PreFilterPlugin = requires(P& plugin, TaskId task) {
  { plugin.PreFilter(task) } -> std::same_as<std::optional<std::string>>;
};

// kScore. Scores are added up in order; kOutOfQuestion excludes the node. `Scores` returns whether
// the plugin applies to the task; it is called once, before the nodes are scored.
inline constexpr double kOutOfQuestion = -std::numeric_limits<double>::infinity();
template <typename P>
concept ScorePlugin = requires(const P& plugin, TaskId task, NodeId node) {
  { plugin.Scores(task) } -> std::same_as<bool>;
  { plugin.Score(task, node) } -> std::same_as<double>;
};

// kReserve. A plugin changes its state through the cluster's journal, so that a rollback restores
// it. `Describe` adds information for the binder.
template <typename P>
concept ReservePlugin =
    requires(P& plugin, const P& constant, TaskId task, NodeId node, BindExtras& extras) {
      plugin.OnAllocate(task, node);
      plugin.OnDeallocate(task, node);
      constant.Describe(task, extras);
    };

// kExplain. What the pod needs and does not have, each with a fix.
template <typename P>
concept ExplainPlugin =
    requires(const P& plugin, TaskId task, std::vector<Explanation::Change>& changes) {
      plugin.Missing(task, changes);
    };

// kJobOrder, kTaskOrder. Negative if the first comes first; 0 if the plugin does not distinguish
// them, in which case the next one in the configured order decides.
template <typename P>
concept JobOrderPlugin = requires(const JobRank& l, const JobRank& r) {
  { P::kName } -> std::convertible_to<std::string_view>;
  { P::Compare(l, r) } -> std::same_as<int>;
};
template <typename P>
concept TaskOrderPlugin = requires(const Task& l, const Task& r) {
  { P::kName } -> std::convertible_to<std::string_view>;
  { P::Compare(l, r) } -> std::same_as<int>;
};

// A plugin implements what each of its points requires.
template <typename P>
concept ImplementsItsPoints =
    CyclePlugin<P> && (!Points(P::kPoints).Has(Point::kFilter) || FilterPlugin<P>) &&
    (!Points(P::kPoints).Has(Point::kScore) || ScorePlugin<P>) &&
    (!Points(P::kPoints).Has(Point::kReserve) || ReservePlugin<P>) &&
    (!Points(P::kPoints).Has(Point::kExplain) || ExplainPlugin<P>);

}  // namespace coppice::engine
