#include <array>

#include "kube/object.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/karta/karta.h"
#include "services/grouper/kinds/families.h"

// The table of workload kinds (docs/behaviour/grouper.md#workload-kinds).
namespace coppice::services::grouper {
namespace {

struct Row {
  std::string_view group;
  std::string_view version;  // "*": any.
  std::string_view kind;
  Grouper grouper;
};

constexpr Row kRows[] = {
    {"", "v1", "Pod", GroupPod},
    {"batch", "v1", "Job", GroupJob},
    {"batch", "v1", "CronJob", GroupCronJob},
    {"apps", "v1", "Deployment", GroupDeployment},
    {"apps", "v1", "ReplicaSet", GroupByDefault},
    {"apps", "v1", "StatefulSet", GroupByDefault},
    {"kubeflow.org", "v1", "TFJob", GroupTensorFlow},
    {"kubeflow.org", "v1", "XGBoostJob", GroupXgBoost},
    {"kubeflow.org", "v1", "JAXJob", GroupJax},
    {"kubeflow.org", "v1", "MPIJob", GroupMpi},
    {"kubeflow.org", "v2beta1", "MPIJob", GroupMpi},
    {"kubeflow.org", "v1", "PyTorchJob", GroupPyTorch},
    {"kubeflow.org", "v1beta1", "Notebook", GroupNotebook},
    {"kubeflow.org", "v1alpha1", "ScheduledWorkflow", GroupByDefault},
    {"trainer.kubeflow.org", "v1alpha1", "TrainJob", GroupWithoutTopOwner},
    {"jobset.x-k8s.io", "v1alpha2", "JobSet", GroupJobSet},
    {"leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", GroupLeaderWorkerSet},
    {"ray.io", "v1", "RayCluster", GroupRayCluster},
    {"ray.io", "v1alpha1", "RayCluster", GroupRayCluster},
    {"ray.io", "v1", "RayJob", GroupRayJob},
    {"ray.io", "v1alpha1", "RayJob", GroupRayJob},
    {"ray.io", "v1", "RayService", GroupRayService},
    {"ray.io", "v1alpha1", "RayService", GroupRayService},
    {"serving.knative.dev", "v1", "Service", GroupKnative},
    {"machinelearning.seldon.io", "v1", "SeldonDeployment", GroupByDefault},
    {"machinelearning.seldon.io", "v1alpha2", "SeldonDeployment", GroupByDefault},
    {"kubevirt.io", "v1", "VirtualMachineInstance", GroupByDefault},
    {"workspace.devfile.io", "v1alpha2", "DevWorkspace", GroupByDefault},
    {"tekton.dev", "v1", "PipelineRun", GroupByDefault},
    {"tekton.dev", "v1", "TaskRun", GroupByDefault},
    {"argoproj.io", "v1alpha1", "Workflow", GroupWithoutTopOwner},
    {"run.ai", "*", "TrainingWorkload", GroupWithoutTopOwner},
    {"run.ai", "*", "InteractiveWorkload", GroupWithoutTopOwner},
    {"run.ai", "*", "DistributedWorkload", GroupWithoutTopOwner},
    {"run.ai", "*", "InferenceWorkload", GroupWithoutTopOwner},
    {"run.ai", "*", "DistributedInferenceWorkload", GroupWithoutTopOwner},
    {"nvidia.com", "*", "DynamoGraphDeployment", GroupWithoutTopOwner},
    {"run.ai", "v1", "RunaiJob", GroupRunaiJob},
    {"amlarc.azureml.com", "v1alpha1", "AmlJob", GroupAmlJob},
    {"egx.nvidia.io", "v1", "SPOTRequest", GroupSpotRequest},
    {"grove.io", "v1alpha1", "PodCliqueSet", GroupGrove},
    {"grove.io", "v1alpha1", "PodGangSet", GroupGrove},
};

struct NamedRow {
  std::string_view name;
  Grouper grouper;
};

constexpr NamedRow kNames[] = {
    {"Default", GroupByDefault},
    {"PodJob", GroupPod},
    {"Spark", GroupPod},
    {"K8sJob", GroupJob},
    {"BatchJob", GroupJob},
    {"CronJob", GroupCronJob},
    {"Deployment", GroupDeployment},
    {"Notebook", GroupNotebook},
    {"KubeflowNotebook", GroupNotebook},
    {"SpotRequest", GroupSpotRequest},
    {"Aml", GroupAmlJob},
    {"RunaiJob", GroupRunaiJob},
    {"TensorFlow", GroupTensorFlow},
    {"XGBoost", GroupXgBoost},
    {"Jax", GroupJax},
    {"Mpi", GroupMpi},
    {"PyTorch", GroupPyTorch},
    {"PyTorchJob", GroupPyTorch},
    {"JobSet", GroupJobSet},
    {"Lws", GroupLeaderWorkerSet},
    {"RayCluster", GroupRayCluster},
    {"RayJob", GroupRayJob},
    {"RayService", GroupRayService},
    {"Knative", GroupKnative},
    {"Grove", GroupGrove},
    {"SkipTopOwner", GroupWithoutTopOwner},
};

Grouper FindRow(std::string_view group, std::string_view version, std::string_view kind) {
  for (const Row& row : kRows) {
    if (row.group == group && row.version == version && row.kind == kind) return row.grouper;
  }
  return nullptr;
}

// "AML Grouper", "AmlGrouper" and "Aml" are one: upstream's handlers have a type and a name.
std::string PlainName(std::string_view name) {
  constexpr std::string_view kSuffix = "Grouper";
  if (name.size() > kSuffix.size() && name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  std::string plain;
  for (const char c : Lower(name)) {
    if (c != ' ') plain += c;
  }
  return plain;
}

}  // namespace

Grouper FindGrouper(std::string_view api_version, std::string_view kind) {
  const std::string_view group = GroupOf(api_version);
  const Grouper exact = FindRow(group, VersionOf(api_version), kind);
  return exact ? exact : FindRow(group, "*", kind);
}

Grouper FindGrouperByName(std::string_view name) {
  const std::string plain = PlainName(name);
  for (const NamedRow& row : kNames) {
    if (PlainName(row.name) == plain) return row.grouper;
  }
  for (const Row& row : kRows) {
    if (PlainName(row.kind) == plain) return row.grouper;
  }
  return nullptr;
}

base::Result<Metadata> Group(const Context& context, const Workload& workload) {
  const Grouper grouper =
      FindGrouper(Object(workload.top_owner).apiVersion(), kube::Kind(workload.top_owner));
  if (grouper) return grouper(context, workload);
  if (context.options.karta_fallback) {
    COPPICE_ASSIGN(std::optional<Metadata> described, GroupByKarta(context, workload));
    if (described) return *std::move(described);
  }
  return GroupByDefault(context, workload);
}

}  // namespace coppice::services::grouper
