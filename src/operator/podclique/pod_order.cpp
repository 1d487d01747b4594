#include "operator/podclique/pod_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "api/view/core.h"
#include "kube/object.h"
#include "operator/podclique/pod_facts.h"
#include "operator/runtime/metadata.h"

namespace coppice::operators::podclique {
namespace {

int PhaseRank(const json::Value& pod) {
  if (Phase(pod) == "Running") return 2;
  return Phase(pod) == "Unknown" ? 1 : 0;
}

auto Rank(const json::Value& pod, std::string_view expected_hash) {
  return std::tuple(!view::core::Pod(pod).spec().nodeName().empty(), PhaseRank(pod), IsReady(pod),
                    TemplateHash(pod) == expected_hash, -CreatedAt(pod).time_since_epoch().count());
}

// Grove deletes pods created within one second in the order in which its cache received them. It
// creates pods in parallel batches of 1, 2, 4, …, and the last pod of a batch reaches the server
// first.
void OrderAsCreated(std::vector<json::Value>::iterator begin,
                    std::vector<json::Value>::iterator end) {
  std::reverse(begin, end);  // Lowest index first.
  for (long batch = 1; begin != end; batch *= 2) {
    const auto batch_end = begin + std::min<long>(batch, end - begin);
    std::rotate(begin, batch_end - 1, batch_end);
    begin = batch_end;
  }
}

}  // namespace

void SortForDeletion(std::vector<json::Value>& pods, std::string_view expected_hash,
                     backends::DeletionTieBreak tie_break) {
  std::stable_sort(pods.begin(), pods.end(), [&](const json::Value& a, const json::Value& b) {
    return std::pair(Rank(a, expected_hash), -IndexOf(a).value_or(0)) <
           std::pair(Rank(b, expected_hash), -IndexOf(b).value_or(0));
  });
  if (tie_break == backends::DeletionTieBreak::kHighestIndexFirst) return;
  for (auto begin = pods.begin(); begin != pods.end();) {
    const auto end = std::find_if(begin, pods.end(), [&](const json::Value& pod) {
      return Rank(pod, expected_hash) != Rank(*begin, expected_hash);
    });
    OrderAsCreated(begin, end);
    begin = end;
  }
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
