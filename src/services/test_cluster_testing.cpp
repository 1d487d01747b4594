#include "services/test_cluster_testing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/kai/crds.h"
#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"

namespace coppice::services {

TestCluster::TestCluster(uint64_t seed, std::string kubernetes_version, bool garbage_collection)
    : stepper(seed) {
  auto made = server::ApiServer::Make({.clock = &stepper.clock(),
                                       .kubernetes_version = std::move(kubernetes_version),
                                       .seed = seed});
  COPPICE_CHECK(made.ok());
  server = *std::move(made);
  api_client = server->NewClient(stepper);
  for (const json::Value& crd : api::kai::Crds()) {
    const base::Status installed = server->InstallCrd(crd);
    EXPECT_TRUE(installed) << installed.error().ToString();
  }
  if (garbage_collection) server->StartControllers(stepper);
  for (const char* ns : {"default", "kai-resource-reservation", "kai-scale-adjust"}) {
    (void)client().Create(api::kNamespaces, kube::NewObject(api::kNamespaces, "", ns));
  }
  for (const auto& [ns, name] : {std::pair{"kai-resource-reservation", "kai-resource-reservation"},
                                 std::pair{"kai-scale-adjust", "scaling-pod"}}) {
    (void)client().Create(api::kServiceAccounts, kube::NewObject(api::kServiceAccounts, ns, name));
  }
  manager = kube::Manager::Make(client(), stepper);
}

TestCluster::~TestCluster() { manager.reset(); }

json::Value TestCluster::Create(const api::Resource& resource, std::string_view yaml) {
  const auto created = client().Create(resource, Doc(yaml));
  EXPECT_TRUE(created) << created.error().ToString();
  return created.value_or(json::Value());
}

json::Value TestCluster::Get(const api::Resource& resource, std::string_view name,
                             std::string_view ns) {
  auto object =
      client().Get(resource, {resource.namespaced ? std::string(ns) : "", std::string(name)});
  EXPECT_TRUE(object) << resource.kind << " " << name;
  return object.value_or(json::Value());
}

bool TestCluster::Exists(const api::Resource& resource, std::string_view name,
                         std::string_view ns) {
  return client()
      .Get(resource, {resource.namespaced ? std::string(ns) : "", std::string(name)})
      .ok();
}

std::vector<json::Value> TestCluster::List(const api::Resource& resource, std::string_view ns) {
  auto list = client().List(resource, {.ns = std::string(ns)});
  EXPECT_TRUE(list) << resource.kind;
  return list ? list->items : std::vector<json::Value>();
}

std::vector<std::string> TestCluster::EventsOf(std::string_view kind, std::string_view name) {
  std::vector<std::string> out;
  for (const json::Value& event : List(api::kEvents)) {
    const json::Value& about = event["involvedObject"];
    if (about["kind"].AsString() != kind || about["name"].AsString() != name) continue;
    out.push_back(fmt::format("{}: {}", event["reason"].AsString(), event["message"].AsString()));
  }
  return out;
}

void TestCluster::AddNode(std::string_view name, int gpus, std::string_view labels) {
  Create(api::kNodes, fmt::format(R"(
apiVersion: v1
kind: Node
metadata:
  name: {0}
  labels: {{kubernetes.io/hostname: {0}, nvidia.com/gpu.memory: "81920", nvidia.com/gpu.count: "{1}"{2}}}
)",
                                  name, gpus, labels.empty() ? "" : ", " + std::string(labels)));
  const json::Value status = Doc(fmt::format(R"(
status:
  allocatable: {{cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "{0}"}}
  capacity: {{cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "{0}"}}
  conditions: [{{type: Ready, status: "True"}}]
)",
                                             gpus));
  const auto patched = client().Patch(api::kNodes, {"", std::string(name)}, kube::PatchType::kMerge,
                                      status, {.subresource = "status"});
  EXPECT_TRUE(patched) << name;
}

void TestCluster::AddQueue(std::string_view name, std::string_view parent, double gpus,
                           double limit) {
  Create(
      api::kQueues,
      fmt::format(R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {{name: {0}}}
spec:
  {1}
  resources:
    cpu: {{quota: -1, limit: -1, overQuotaWeight: 1}}
    memory: {{quota: -1, limit: -1, overQuotaWeight: 1}}
    gpu: {{quota: {2}, limit: {3}, overQuotaWeight: 1}}
)",
                  name, parent.empty() ? "" : fmt::format("parentQueue: {}", parent), gpus, limit));
}

void TestCluster::AddPriorityClasses() {
  for (const auto& [name, value] : {std::pair{"train", 50}, {"build", 100}, {"inference", 125}}) {
    Create(api::kPriorityClasses, fmt::format(R"(
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {{name: {}}}
value: {}
)",
                                              name, value));
  }
}

json::Value TestCluster::AddPod(std::string_view name, std::string_view queue, int gpus,
                                std::string_view metadata) {
  json::Value pod = Doc(fmt::format(R"(
apiVersion: v1
kind: Pod
metadata:
  name: {0}
  namespace: default
  labels: {{kai.scheduler/queue: {1}}}
spec:
  schedulerName: kai-scheduler
  containers:
  - name: main
    image: app:v1
    resources: {{requests: {{cpu: "1"}}}}
)",
                                    name, queue));
  if (gpus > 0) {
    json::Value& resources =
        pod.Mutable("spec").Mutable("containers").MutableAt(0).Mutable("resources");
    for (const char* list : {"requests", "limits"}) {
      resources.Mutable(list).Set("nvidia.com/gpu", std::to_string(gpus));
    }
  }
  if (!metadata.empty()) {
    const json::Value extra = Doc(metadata);
    for (const char* field : {"labels", "annotations"}) {
      for (const json::Member& member : extra[field].Members()) {
        pod.Mutable("metadata").Mutable(field).Set(member.name(), member.value);
      }
    }
  }
  const auto created = client().Create(api::kPods, pod);
  EXPECT_TRUE(created) << created.error().ToString();
  return created.value_or(json::Value());
}

void TestCluster::RunBoundPods() {
  for (const json::Value& pod : List(api::kPods)) {
    if (pod["spec"]["nodeName"].AsString().empty()) continue;
    if (pod["status"]["phase"].AsString() != "Pending") continue;
    const json::Value patch = Doc("status: {phase: Running}");
    (void)client().Patch(api::kPods, kube::KeyOf(pod), kube::PatchType::kMerge, patch,
                         {.subresource = "status"});
  }
}

json::Value Doc(std::string_view yaml) {
  const auto document = json::ParseYaml(yaml);
  EXPECT_TRUE(document) << yaml;
  return document.value_or(json::Value());
}

}  // namespace coppice::services
