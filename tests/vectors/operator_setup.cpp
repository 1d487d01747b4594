#include "tests/vectors/operator_setup.h"

#include "api/well_known.h"
#include "backends/framework/config.h"
#include "base/check.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "tests/crds/crds.h"

namespace coppice::vectors {
namespace {

constexpr char kConfiguration[] = R"(
compatibility: grove
scheduler:
  defaultProfileName: kai-scheduler
  profiles: [{name: default-scheduler}, {name: kai-scheduler}, {name: volcano}]
)";

constexpr char kObjects[] = R"(
apiVersion: grove.io/v1alpha1
kind: ClusterTopologyBinding
metadata: {name: topo}
spec:
  levels:
  - {domain: zone, key: topology.kubernetes.io/zone}
  - {domain: block, key: topo/block}
  - {domain: rack, key: topo/rack}
  - {domain: host, key: kubernetes.io/hostname}
---
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: default}, spec: {}}
---
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: queue-0}, spec: {}}
---
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: queue-1}, spec: {}}
---
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: queue-2}, spec: {}}
---
{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: queue-3}, spec: {}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: default}, spec: {}}
---
{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: q1}, spec: {}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: train}, value: 50}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: custom}}
)";

const api::Resource kVolcanoPodGroups{"scheduling.volcano.sh", "v1beta1", "podgroups", "PodGroup",
                                      true};

operators::Config RecordedConfig() {
  operators::Config config;
  auto configuration = json::ParseYaml(kConfiguration);
  COPPICE_CHECK(configuration.ok());
  auto backends = backends::ParseConfig(*configuration);
  COPPICE_CHECK(backends.ok());
  config.backends = *std::move(backends);
  config.topology_aware_scheduling = true;
  config.init_container_image = "initc:v0.0.0-master+$Format:%H$";
  return config;
}

}  // namespace

std::unique_ptr<operators::World> MakeRecordedWorld() {
  operators::World::Options options;
  options.config = RecordedConfig();
  options.crds = test_crds::Of("kai");
  for (json::Value& crd : test_crds::Of("volcano")) options.crds.push_back(std::move(crd));
  options.disabled_admission = {"ServiceAccount"};  // As in the API server of the recordings.
  auto world = std::make_unique<operators::World>(std::move(options));
  auto objects = json::ParseYamlDocuments(kObjects);
  COPPICE_CHECK(objects.ok());
  for (const json::Value& object : *objects) {
    COPPICE_CHECK(world->TryCreate(object).ok());
  }
  world->Settle();
  return world;
}

const std::vector<api::Resource>& ComparedResources() {
  static const std::vector<api::Resource> resources = {api::kPods,
                                                       api::kServices,
                                                       api::kSecrets,
                                                       api::kServiceAccounts,
                                                       api::kRoles,
                                                       api::kRoleBindings,
                                                       api::kHorizontalPodAutoscalers,
                                                       api::kResourceClaims,
                                                       api::kPodCliqueSets,
                                                       api::kPodCliques,
                                                       api::kPodCliqueScalingGroups,
                                                       api::kPodGangs,
                                                       api::kPodGroups,
                                                       kVolcanoPodGroups};
  return resources;
}

bool IsPartOfNamespace(const json::Value& object) {
  const std::string_view kind = kube::Kind(object);
  const std::string_view name = kube::Name(object);
  return (kind == "ServiceAccount" && (name == "default" || name == "custom")) ||
         (kind == "Service" && name == "kubernetes");
}

}  // namespace coppice::vectors
