#include "operator/scalinggroup/pass.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "operator/common/names.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::scalinggroup {

int Pass::set_replica() const {
  return names::IndexLabel(group.object, labels::kSetReplica).value_or(0);
}

std::string Pass::MemberName(int replica, const std::string& clique) const {
  return names::MemberClique(group.name(), replica, clique);
}

std::vector<const api::grove::PodClique*> Pass::CliquesOf(int replica) const {
  std::vector<const api::grove::PodClique*> found;
  for (const std::string& clique : group.spec.cliqueNames) {
    const auto member = cliques.find(MemberName(replica, clique));
    if (member != cliques.end()) found.push_back(&member->second);
  }
  return found;
}

bool Pass::IsComplete(int replica) const {
  return CliquesOf(replica).size() == group.spec.cliqueNames.size();
}

bool Pass::UpdateRunning() const {
  return group.status.updateProgress && group.status.updateProgress->Running();
}

base::Status WriteStatus(Pass& pass, const api::grove::ScalingGroupStatus& status) {
  if (status == pass.group.status) return {};
  COPPICE_ASSIGN(kube::Applied written,
                 kube::PatchStatus(pass.context.client(), api::kPodCliqueScalingGroups,
                                   pass.group.object, api::grove::Write(status)));
  pass.group = api::grove::ReadScalingGroup(std::move(written.object));
  return {};
}

namespace {

base::Status DeleteMembers(Pass& pass, int replica) {
  for (auto member = pass.cliques.begin(); member != pass.cliques.end();) {
    if (ReplicaOf(member->second) != replica) {
      ++member;
      continue;
    }
    COPPICE_TRY(kube::DeleteObject(pass.context.client(), api::kPodCliques, member->second.object));
    member = pass.cliques.erase(member);
  }
  return {};
}

}  // namespace

int ReplicaOf(const api::grove::PodClique& member) {
  return names::IndexLabel(member.object, labels::kScalingGroupReplica).value_or(-1);
}

base::Status DeleteReplica(Pass& pass, int replica) {
  base::Status deleted = DeleteMembers(pass, replica);
  if (!deleted) {
    pass.context.Event(pass.set.object, "Warning", "PodCliqueScalingGroupReplicaDeleteFailed",
                       fmt::format("Error deleting PodCliqueScalingGroup {} ReplicaIndex {} : {}",
                                   pass.group.name(), replica, deleted.error().message()));
    return deleted;
  }
  pass.context.Event(
      pass.set.object, "Normal", "PodCliqueScalingGroupReplicaDeleteSuccessful",
      fmt::format("Deleted PodCliqueScalingGroup {} replicaIndex: {}", pass.group.name(), replica));
  return {};
}

}  // namespace coppice::operators::scalinggroup
