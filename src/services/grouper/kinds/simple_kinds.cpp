#include <fmt/format.h>

#include "api/view/azureml.h"
#include "kube/object.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/kinds/families.h"

// Kinds that differ from the default in one detail.
namespace coppice::services::grouper {
namespace {

constexpr std::string_view kSparkName = "spark-app-name";
constexpr std::string_view kSparkSelector = "spark-app-selector";
constexpr std::string_view kNodeCount = "AZUREML_NODE_COUNT";

}  // namespace

base::Result<Metadata> GroupPod(const Context& context, const Workload& workload) {
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, workload.top_owner, workload.pod));
  const auto selector = FindLabel(workload.pod, kSparkSelector);
  if (selector && FindLabel(workload.pod, kSparkName)) metadata.name = *selector;
  return metadata;
}

// Replicas of a Deployment are independent servers: each has its own group.
base::Result<Metadata> GroupDeployment(const Context& context, const Workload& workload) {
  const json::Value& pod = workload.pod;
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, workload.top_owner, pod, "inference"));
  metadata.name = fmt::format("pg-{}-{}", kube::Name(pod), kube::Uid(pod));
  metadata.owner = {"v1", "Pod", std::string(kube::Name(pod)), std::string(kube::Uid(pod))};
  return metadata;
}

base::Result<Metadata> GroupNotebook(const Context& context, const Workload& workload) {
  return GroupByTopOwner(context, workload.top_owner, workload.pod, "build");
}

base::Result<Metadata> GroupSpotRequest(const Context& context, const Workload& workload) {
  return GroupByTopOwner(context, workload.top_owner, workload.pod, "inference");
}

base::Result<Metadata> GroupAmlJob(const Context& context, const Workload& workload) {
  COPPICE_ASSIGN(Metadata metadata, GroupByTopOwner(context, workload.top_owner, workload.pod));
  const view::azureml::AmlJob job(workload.top_owner);
  COPPICE_ASSIGN(metadata.min_available, RequireInt(job.spec().job().options().envs()[kNodeCount],
                                                    "spec.job.options.envs.AZUREML_NODE_COUNT"));
  return metadata;
}

}  // namespace coppice::services::grouper
