#include "services/grouper/kubeflow.h"

#include <fmt/format.h>

#include "kube/object.h"
#include "services/grouper/default_grouper.h"
#include "services/grouper/families.h"
#include "services/grouper/values.h"

namespace coppice::services::grouper {
namespace {

base::Result<int64_t> RoleReplicas(const json::Value& specs, std::string_view specs_field,
                                   std::string_view role) {
  const std::string path = fmt::format("spec.{}.{}.replicas", specs_field, role);
  COPPICE_ASSIGN(const int64_t replicas, RequireInt(specs[role]["replicas"], path));
  if (replicas == 0) return base::InvalidArgument(path + " is zero");
  return replicas;
}

base::Result<Metadata> GroupKubeflow(const Context& context, const Workload& workload,
                                     std::string_view specs_field,
                                     std::initializer_list<std::string_view> mandatory_roles) {
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, workload.top_owner, workload.pod));
  COPPICE_ASSIGN(metadata.min_available,
                 KubeflowMinimum(workload.top_owner, specs_field, mandatory_roles));
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

base::Result<int64_t> KubeflowMinimum(const json::Value& job, std::string_view specs_field,
                                      std::initializer_list<std::string_view> mandatory_roles) {
  const json::Value& available = job["spec"]["runPolicy"]["schedulingPolicy"]["minAvailable"];
  if (!available.IsNull()) {
    return RequireInt(available, "spec.runPolicy.schedulingPolicy.minAvailable");
  }
  const json::Value& specs = job["spec"][specs_field];
  if (!specs.IsObject())
    return base::InvalidArgument(fmt::format("spec.{} is missing", specs_field));
  for (const std::string_view role : mandatory_roles) {
    if (!specs.Has(role)) {
      return base::InvalidArgument(fmt::format("spec.{}.{} is missing", specs_field, role));
    }
  }
  int64_t sum = 0;
  for (const json::Member& role : specs.Members()) {
    COPPICE_ASSIGN(const int64_t replicas, RoleReplicas(specs, specs_field, role.name()));
    sum += replicas;
  }
  if (sum > 0) return sum;
  return base::InvalidArgument(fmt::format("spec.{} asks for {} pods in all", specs_field, sum));
}

base::Result<Metadata> GroupTensorFlow(const Context& context, const Workload& workload) {
  return GroupKubeflow(context, workload, "tfReplicaSpecs", {});
}

base::Result<Metadata> GroupXgBoost(const Context& context, const Workload& workload) {
  return GroupKubeflow(context, workload, "xgbReplicaSpecs", {"Master", "Worker"});
}

base::Result<Metadata> GroupJax(const Context& context, const Workload& workload) {
  return GroupKubeflow(context, workload, "jaxReplicaSpecs", {"Worker"});
}

// A launcher that is created only once the workers are ready cannot be waited for.
base::Result<Metadata> GroupMpi(const Context& context, const Workload& workload) {
  const json::Value& job = workload.top_owner;
  COPPICE_ASSIGN(Metadata metadata,
                 GroupKubeflow(context, workload, "mpiReplicaSpecs", {"Launcher", "Worker"}));
  if (job["spec"]["launcherCreationPolicy"].AsString() != "WaitForWorkersReady") return metadata;
  COPPICE_ASSIGN(const bool launched, LauncherExists(context, job, workload.pod));
  if (launched) return metadata;
  COPPICE_ASSIGN(const int64_t launchers,
                 RoleReplicas(job["spec"]["mpiReplicaSpecs"], "mpiReplicaSpecs", "Launcher"));
  metadata.min_available -= launchers;
  return metadata;
}

}  // namespace coppice::services::grouper
