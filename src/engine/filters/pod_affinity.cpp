#include "engine/filters/pod_affinity.h"

#include <algorithm>

namespace coppice::engine {
namespace {

constexpr double kAffinity = 1e6;

}  // namespace

bool TermMatches(const Cluster& cluster, const PodAffinityTerm& term, const PodClass& owner,
                 const PodClass& other, const Labels& labels) {
  if (!term.selector || !Matches(*term.selector, labels)) return false;
  const std::string& where = other.shape->namespace_name;
  if (std::find(term.namespaces.begin(), term.namespaces.end(), where) != term.namespaces.end()) {
    return true;
  }
  if (term.namespace_selector) {
    const auto known = cluster.objects().namespaces.find(where);
    if (known != cluster.objects().namespaces.end())
      return Matches(*term.namespace_selector, known->second);
    // Snapshots do not contain namespaces, but every namespace has this label.
    return Matches(*term.namespace_selector, Labels{{"kubernetes.io/metadata.name", where}});
  }
  return term.namespaces.empty() && where == owner.shape->namespace_name;
}

void PodAffinityScorer::Add(const Node& node, const WeightedPodAffinityTerm& preferred,
                            int64_t weight) {
  const auto value = node.labels.Find(cluster_.names(), preferred.term.topology_key);
  if (value) sums_[preferred.term.topology_key][*value] += weight * preferred.weight;
}

void PodAffinityScorer::Prepare(TaskId id) {
  sums_.clear();
  if (!cluster_.affinity_in_use() || unconcerned_.contains(id)) return;
  const Task& task = cluster_.tasks()[id];
  const PodClass& cls = cluster_.ClassOf(task);
  const Labels& labels = cluster_.LabelSet(task.labels);
  for (NodeId node_id : cluster_.node_order()) {
    const Node& node = cluster_.nodes()[node_id];
    for (const auto& present : node.presence) {
      if (present.count <= 0) continue;
      const PodClass& other = cluster_.classes()[present.cls];
      const Labels& others = cluster_.LabelSet(present.labels);
      const auto own = [&](const std::vector<WeightedPodAffinityTerm>& terms, int sign) {
        for (const auto& preferred : terms) {
          if (!TermMatches(cluster_, preferred.term, cls, other, others)) continue;
          Add(node, preferred, sign * present.count);
        }
      };
      const auto theirs = [&](const std::vector<WeightedPodAffinityTerm>& terms, int sign) {
        for (const auto& preferred : terms) {
          if (!TermMatches(cluster_, preferred.term, other, cls, labels)) continue;
          Add(node, preferred, sign * present.count);
        }
      };
      own(cls.shape->affinity.preferred_pods, +1);
      own(cls.shape->affinity.preferred_anti_pods, -1);
      theirs(other.shape->affinity.preferred_pods, +1);
      theirs(other.shape->affinity.preferred_anti_pods, -1);
    }
  }
  if (sums_.empty() && sticky_) unconcerned_.insert(id);
}

double PodAffinityScorer::Score(TaskId, NodeId node) const {
  int64_t score = 0;
  for (const auto& [key, values] : sums_) {
    const auto value = cluster_.LabelsOf(node).Find(key);
    if (!value) continue;
    const auto found = values.find(*value);
    if (found != values.end()) score += found->second;
  }
  return kAffinity * static_cast<double>(score);
}

}  // namespace coppice::engine
