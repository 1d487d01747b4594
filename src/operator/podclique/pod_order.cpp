#include "operator/podclique/pod_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "kube/object.h"
#include "operator/podclique/pod_facts.h"

namespace coppice::operators::podclique {
namespace {

int PhaseRank(const json::Value& pod) {
  if (Phase(pod) == "Running") return 2;
  return Phase(pod) == "Unknown" ? 1 : 0;
}

auto Rank(const json::Value& pod, std::string_view expected_hash) {
  return std::tuple(!pod["spec"]["nodeName"].AsString().empty(), PhaseRank(pod), IsReady(pod),
                    TemplateHash(pod) == expected_hash, -CreatedAt(pod).time_since_epoch().count(),
                    -IndexOf(pod).value_or(0));
}

}  // namespace

void SortForDeletion(std::vector<json::Value>& pods, std::string_view expected_hash) {
  std::stable_sort(pods.begin(), pods.end(), [&](const json::Value& a, const json::Value& b) {
    return Rank(a, expected_hash) < Rank(b, expected_hash);
  });
}

base::Result<std::vector<int>> FreeIndices(const std::vector<json::Value>& pods, size_t count) {
  std::set<int> used;
  for (const json::Value& pod : pods) {
    if (!IsActive(pod)) continue;
    const auto index = IndexOf(pod);
    if (!index) return base::Internal(fmt::format("pod {} has no index", kube::Name(pod)));
    if (!used.insert(*index).second) {
      return base::Internal(fmt::format("two pods have index {}", *index));
    }
  }
  std::vector<int> free;
  for (int index = 0; free.size() < count; ++index) {
    if (!used.contains(index)) free.push_back(index);
  }
  return free;
}

}  // namespace coppice::operators::podclique
