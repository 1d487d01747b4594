#include "operator/podgang/members.h"

#include <algorithm>

#include "api/view/grove.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::podgang {
namespace {

// Only pods that the PodClique owns. Pods of a deleted PodClique wait for garbage collection, and
// its replacement may already exist.
std::vector<json::Value> LivePods(const Context& context, const json::Value& clique) {
  std::vector<json::Value> pods = context.OwnedBy(context.pods, kube::Uid(clique));
  std::erase_if(pods, kube::IsDeleting);
  return pods;
}

}  // namespace

void AddReferences(const Context& context, backends::PodGangInfo& gang) {
  for (backends::PodGroupInfo& group : gang.pod_groups) {
    group.pod_references.clear();
    const auto clique = context.cliques.Get({gang.ns, group.name});
    if (!clique) continue;
    for (const json::Value& pod : LivePods(context, *clique)) {
      if (kube::Label(pod, labels::kPodGang) != gang.name) continue;
      group.pod_references.push_back({gang.ns, std::string(kube::Name(pod))});
    }
    std::sort(group.pod_references.begin(), group.pod_references.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }
}

bool IsComplete(const Context& context, const backends::PodGangInfo& gang) {
  for (const backends::PodGroupInfo& group : gang.pod_groups) {
    const auto clique = context.cliques.Get({gang.ns, group.name});
    if (!clique || kube::IsDeleting(*clique)) return false;
    const size_t live = LivePods(context, *clique).size();
    const int64_t wanted = view::grove::PodClique(*clique).spec().replicas();
    if (live < static_cast<size_t>(std::max<int64_t>(0, wanted))) return false;
    // Fewer references than pods: some pod has another gang's label.
    if (group.pod_references.size() != live) return false;
  }
  return true;
}

}  // namespace coppice::operators::podgang
