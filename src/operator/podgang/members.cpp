#include "operator/podgang/members.h"

#include <algorithm>

#include "kube/object.h"
#include "operator/common/labels.h"

namespace coppice::operators::podgang {

Members Members::Read(const Context& context, const api::grove::PodCliqueSet& set) {
  std::map<std::string, std::string, std::less<>> clique_of;  // Name by uid.
  for (const json::Value& clique : context.PartOf(context.cliques, set.ns(), set.name())) {
    clique_of.emplace(kube::Uid(clique), kube::Name(clique));
  }
  Members members;
  for (json::Value& pod : context.PartOf(context.pods, set.ns(), set.name())) {
    // Pods of a clique that is gone wait for garbage collection; its successor may exist already.
    const auto clique = clique_of.find(kube::ControllerOwner(pod)["uid"].AsString());
    if (kube::IsDeleting(pod) || clique == clique_of.end()) continue;
    members.by_clique_[clique->second].push_back(std::move(pod));
  }
  return members;
}

void Members::AddReferences(backends::PodGangInfo& gang) const {
  for (backends::PodGroupInfo& group : gang.pod_groups) {
    group.pod_references.clear();
    const auto found = by_clique_.find(group.name);
    if (found == by_clique_.end()) continue;
    for (const json::Value& pod : found->second) {
      if (kube::Label(pod, kPodGangLabel) != gang.name) continue;
      group.pod_references.push_back({gang.ns, std::string(kube::Name(pod))});
    }
    std::sort(group.pod_references.begin(), group.pod_references.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }
}

bool Members::Complete(const Context& context, const backends::PodGangInfo& gang) const {
  for (const backends::PodGroupInfo& group : gang.pod_groups) {
    const auto clique = context.cliques.Get({gang.ns, group.name});
    if (!clique || kube::IsDeleting(*clique)) return false;
    const auto found = by_clique_.find(group.name);
    const size_t live = found == by_clique_.end() ? 0 : found->second.size();
    if (live < static_cast<size_t>(std::max<int64_t>(0, (*clique)["spec"]["replicas"].AsInt()))) {
      return false;
    }
    // Fewer references than pods: some pod carries another gang's label.
    if (group.pod_references.size() != live) return false;
  }
  return true;
}

}  // namespace coppice::operators::podgang
