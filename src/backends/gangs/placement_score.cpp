#include <cmath>
#include <map>

#include "api/view/core.h"
#include "api/well_known.h"
#include "backends/framework/ladder.h"
#include "backends/framework/pods.h"
#include "backends/gangs/status.h"
#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

// The bound pods of a scope, each as the domains of its node, broadest level first.
using Domains = std::vector<std::vector<std::string>>;

Domains DomainsOf(const GangInput& input, const Scope& scope, std::span<const Value> pods) {
  Domains domains;
  for (const Value& pod : pods) {
    if (!IsBound(pod) || !CountsForStatus(pod)) continue;
    if (!Covers(input.gang, scope, kube::Label(pod, labels::kPodClique))) continue;
    const std::string name(view::core::Pod(pod).spec().nodeName());
    const auto node = input.cluster->Get(api::kNodes, {"", name});
    std::vector<std::string> path;
    for (const TopologyLevel& level : input.topology.levels) {
      path.emplace_back(node ? kube::Label(*node, level.key) : std::string_view());
    }
    domains.push_back(std::move(path));
  }
  return domains;
}

// The share of pods in the fullest domain of a level. Pods on nodes without the label count as
// alone.
double LargestShare(const Domains& domains, size_t level) {
  std::map<std::string, size_t> sizes;
  size_t largest = 0;
  for (const auto& path : domains) {
    const size_t size = path[level].empty() ? 1 : ++sizes[path[level]];
    largest = std::max(largest, size);
  }
  return static_cast<double>(largest) / static_cast<double>(domains.size());
}

double ScopeScore(const Domains& domains, size_t wanted) {
  size_t met = 0;  // Levels, from the broadest, at which all pods share one domain.
  while (met <= wanted && LargestShare(domains, met) == 1.0) ++met;
  const double next = met > wanted ? 0 : LargestShare(domains, met);
  return (static_cast<double>(met) + next) / static_cast<double>(wanted + 1);
}

}  // namespace

std::optional<double> PlacementScore(const GangInput& input, std::span<const Value> pods) {
  if (!input.cluster || input.topology.empty()) return std::nullopt;
  double sum = 0;
  size_t weight = 0;
  for (const Scope& scope : ConstrainedScopes(input, nullptr)) {
    const PackConstraint& wishes = scope.wishes;
    const auto wanted =
        input.topology.IndexOf(wishes.preferred.empty() ? wishes.required : wishes.preferred);
    const Domains domains = DomainsOf(input, scope, pods);
    if (!wanted || domains.empty()) continue;
    sum += ScopeScore(domains, *wanted) * static_cast<double>(domains.size());
    weight += domains.size();
  }
  if (weight == 0) return std::nullopt;
  return std::round(sum / static_cast<double>(weight) * 1000) / 1000;
}

}  // namespace coppice::backends
