#include "page/facts/workload_id.h"

#include "api/labels.h"
#include "api/view/meta.h"
#include "kube/object.h"

namespace coppice::page {
namespace {

constexpr std::string_view kReplicaSetHash = "pod-template-hash";

// A Deployment names its ReplicaSets by itself and the hash of their pods.
std::string_view DeploymentOf(std::string_view replica_set, std::string_view hash) {
  if (hash.empty() || !replica_set.ends_with(hash)) return {};
  replica_set.remove_suffix(hash.size());
  if (!replica_set.ends_with('-')) return {};
  replica_set.remove_suffix(1);
  return replica_set;
}

}  // namespace

std::optional<WorkloadId> WorkloadId::Parse(std::string_view text) {
  const size_t first = text.find('/');
  const size_t second = first == text.npos ? text.npos : text.find('/', first + 1);
  if (second == text.npos) return std::nullopt;
  WorkloadId id{std::string(text.substr(0, first)),
                std::string(text.substr(first + 1, second - first - 1)),
                std::string(text.substr(second + 1))};
  const bool usable = !id.ns.empty() && !id.kind.empty() && !id.name.empty();
  return usable ? std::optional(id) : std::nullopt;
}

WorkloadId WorkloadOf(const json::Value& pod) {
  const std::string ns(kube::Namespace(pod));
  const std::string_view set = kube::Label(pod, api::labels::kPartOf);
  if (kube::Label(pod, api::labels::kManagedBy) == api::labels::kOperator && !set.empty()) {
    return {ns, "PodCliqueSet", std::string(set)};
  }
  const view::meta::OwnerReference owner(kube::ControllerOwner(pod));
  if (!owner) return {ns, "Pod", std::string(kube::Name(pod))};
  if (owner.kind() == "ReplicaSet") {
    const auto deployment = DeploymentOf(owner.name(), kube::Label(pod, kReplicaSetHash));
    if (!deployment.empty()) return {ns, "Deployment", std::string(deployment)};
  }
  return {ns, std::string(owner.kind()), std::string(owner.name())};
}

}  // namespace coppice::page
