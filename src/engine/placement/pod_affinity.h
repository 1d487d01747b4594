#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "engine/state/cluster.h"

namespace coppice::engine {

// Whether a term that `owner` carries is about a pod of class `other` with these labels.
bool TermMatches(const Cluster& cluster, const PodAffinityTerm& term, const PodClass& owner,
                 const PodClass& other, const Labels& labels);

// The podaffinity plugin: how much the pod being placed and those already there prefer each other's
// company, by topology domain (docs/behaviour/engine.md S-86).
class PodAffinityScorer {
 public:
  // `sticky`: once nobody's preference concerns a pod none does for the rest of the cycle, as
  // upstream.
  PodAffinityScorer(const Cluster& cluster, bool sticky) : cluster_(cluster), sticky_(sticky) {}

  // Looks at all pods on all nodes, once per task.
  void Prepare(TaskId task);
  double Score(NodeId node) const;

 private:
  void Add(const Node& node, const WeightedPodAffinityTerm& preferred, int64_t weight);

  const Cluster& cluster_;
  const bool sticky_;
  std::unordered_set<TaskId> unconcerned_;
  // Sum of weights by topology key and value.
  std::map<std::string, std::unordered_map<std::string_view, int64_t>> sums_;
};

}  // namespace coppice::engine
