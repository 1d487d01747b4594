#include "services/grouper/kinds/kubeflow.h"

#include <fmt/format.h>

#include "api/key/kubeflow.h"
#include "kube/object.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/kinds/families.h"

namespace coppice::services::grouper {
namespace {

base::Result<int64_t> RoleReplicas(KubeflowRoles roles, std::string_view role) {
  const std::string path = fmt::format("spec.{}.{}.replicas", roles.field, role);
  const json::Value& value = roles.specs[role].Json()[key::kubeflow::ReplicaSpec::replicas];
  COPPICE_ASSIGN(const int64_t replicas, RequireInt(value, path));
  if (replicas == 0) return base::InvalidArgument(path + " is zero");
  return replicas;
}

base::Result<Metadata> GroupKubeflow(const Context& context, const Workload& workload,
                                     view::kubeflow::RunPolicy policy, KubeflowRoles roles,
                                     std::initializer_list<std::string_view> mandatory_roles) {
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, workload.top_owner, workload.pod));
  COPPICE_ASSIGN(metadata.min_available, KubeflowMinimum(policy, roles, mandatory_roles));
  return metadata;
}

base::Result<bool> LauncherExists(const Context& context, const json::Value& job,
                                  const json::Value& pod) {
  COPPICE_ASSIGN(const std::vector<json::Value> launchers,
                 context.lookup.List("v1", "Pod", kube::Namespace(pod),
                                     fmt::format("training.kubeflow.org/job-name={},"
                                                 "training.kubeflow.org/job-role=launcher",
                                                 kube::Name(job))));
  for (const json::Value& launcher : launchers) {
    if (!kube::IsDeleting(launcher)) return true;
  }
  return false;
}

}  // namespace

base::Result<int64_t> KubeflowMinimum(view::kubeflow::RunPolicy policy, KubeflowRoles roles,
                                      std::initializer_list<std::string_view> mandatory_roles) {
  const json::Value& available =
      policy.schedulingPolicy().Json()[key::kubeflow::SchedulingPolicy::minAvailable];
  if (!available.IsNull()) {
    return RequireInt(available, "spec.runPolicy.schedulingPolicy.minAvailable");
  }
  if (!roles.specs.Json().IsObject()) {
    return base::InvalidArgument(fmt::format("spec.{} is missing", roles.field));
  }
  for (const std::string_view role : mandatory_roles) {
    if (!roles.specs.Has(role)) {
      return base::InvalidArgument(fmt::format("spec.{}.{} is missing", roles.field, role));
    }
  }
  int64_t sum = 0;
  for (const auto& [role, spec] : roles.specs) {
    COPPICE_ASSIGN(const int64_t replicas, RoleReplicas(roles, role));
    sum += replicas;
  }
  if (sum > 0) return sum;
  return base::InvalidArgument(fmt::format("spec.{} asks for {} pods in all", roles.field, sum));
}

base::Result<Metadata> GroupTensorFlow(const Context& context, const Workload& workload) {
  const view::kubeflow::TFJobSpec spec = view::kubeflow::TFJob(workload.top_owner).spec();
  return GroupKubeflow(context, workload, spec.runPolicy(),
                       {key::kubeflow::TFJobSpec::tfReplicaSpecs, spec.tfReplicaSpecs()}, {});
}

base::Result<Metadata> GroupXgBoost(const Context& context, const Workload& workload) {
  const view::kubeflow::XGBoostJobSpec spec = view::kubeflow::XGBoostJob(workload.top_owner).spec();
  return GroupKubeflow(context, workload, spec.runPolicy(),
                       {key::kubeflow::XGBoostJobSpec::xgbReplicaSpecs, spec.xgbReplicaSpecs()},
                       {"Master", "Worker"});
}

base::Result<Metadata> GroupJax(const Context& context, const Workload& workload) {
  const view::kubeflow::JAXJobSpec spec = view::kubeflow::JAXJob(workload.top_owner).spec();
  return GroupKubeflow(context, workload, spec.runPolicy(),
                       {key::kubeflow::JAXJobSpec::jaxReplicaSpecs, spec.jaxReplicaSpecs()},
                       {"Worker"});
}

// A launcher that is created only once the workers are ready cannot be waited for.
base::Result<Metadata> GroupMpi(const Context& context, const Workload& workload) {
  const view::kubeflow::MPIJobSpec spec = view::kubeflow::MPIJob(workload.top_owner).spec();
  const KubeflowRoles roles{key::kubeflow::MPIJobSpec::mpiReplicaSpecs, spec.mpiReplicaSpecs()};
  COPPICE_ASSIGN(Metadata metadata,
                 GroupKubeflow(context, workload, spec.runPolicy(), roles, {"Launcher", "Worker"}));
  if (spec.launcherCreationPolicy() != "WaitForWorkersReady") return metadata;
  COPPICE_ASSIGN(const bool launched, LauncherExists(context, workload.top_owner, workload.pod));
  if (launched) return metadata;
  COPPICE_ASSIGN(const int64_t launchers, RoleReplicas(roles, "Launcher"));
  metadata.min_available -= launchers;
  return metadata;
}

}  // namespace coppice::services::grouper
