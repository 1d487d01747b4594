#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "engine/framework/framework.h"
#include "engine/session/session.h"

namespace coppice::engine {

// Whether a term of `owner` matches a pod of class `other` with these labels.
bool TermMatches(const Cluster& cluster, const PodAffinityTerm& term, const PodClass& owner,
                 const PodClass& other, const Labels& labels);

// The podaffinity plugin: how strongly the pod to place and the existing pods prefer or avoid each
// other, by topology domain (docs/behaviour/engine.md S-86).
class PodAffinityScorer {
 public:
  static constexpr std::string_view kName = "podaffinity";
  static constexpr Points kPoints = Point::kScore;
  static constexpr bool kTimed = false;
  static bool On(const Session& session) { return session.plugins.podaffinity; }

  explicit PodAffinityScorer(const Session& session)
      : cluster_(session.cluster),
        sticky_(session.config.compatibility.Keeps(Quirk::kStickySkips)) {}

  // Scans all pods on all nodes, once per task.
  void Prepare(TaskId task);
  bool Scores(TaskId) const { return cluster_.affinity_in_use(); }
  double Score(TaskId task, NodeId node) const;  // For the prepared task.

 private:
  void Add(const Node& node, const WeightedPodAffinityTerm& preferred, int64_t weight);

  const Cluster& cluster_;
  // Once no preference applies to a pod, none does for the rest of the cycle, as in upstream.
  const bool sticky_;
  std::unordered_set<TaskId> unconcerned_;
  // Sum of weights by topology key and value.
  std::map<std::string, std::unordered_map<std::string_view, int64_t>> sums_;
};

}  // namespace coppice::engine
