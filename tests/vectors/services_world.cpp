#include "tests/vectors/services_world.h"

#include <fmt/format.h>

#include "api/kai/crds.h"
#include "api/well_known.h"
#include "base/check.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "services/binder/controller.h"
#include "services/common/kind_resolver.h"
#include "services/grouper/controller.h"
#include "services/podgroups/controller.h"
#include "services/queues/controller.h"
#include "services/scheduler/service.h"
#include "services/workloads/workloads.h"
#include "sim/node_agent.h"
#include "tests/vectors/rename.h"
#include "tests/vectors/services_normal.h"

namespace coppice::vectors {
namespace {

constexpr const char* kCaseNamespace = "case";
constexpr const char* kReservations = "kai-resource-reservation";
constexpr const char* kReservationImage = "registry/local/kai-scheduler/resource-reservation";

constexpr const char* kCluster = R"(
- {apiVersion: v1, kind: Namespace, metadata: {name: case}}
- {apiVersion: v1, kind: Namespace, metadata: {name: kai-resource-reservation}}
- {apiVersion: v1, kind: Namespace, metadata: {name: kai-scale-adjust}}
- {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: nvidia}, handler: nvidia}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: train}, value: 50}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: build-preemptible}, value: 75}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: build}, value: 100}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: inference}, value: 125}
- {apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: root},
   spec: {resources: {cpu: {quota: -1, limit: -1, overQuotaWeight: 1},
                      memory: {quota: -1, limit: -1, overQuotaWeight: 1},
                      gpu: {quota: -1, limit: -1, overQuotaWeight: 1}}}}
- {apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team-a},
   spec: {parentQueue: root, resources: {cpu: {quota: -1, limit: -1, overQuotaWeight: 1},
                      memory: {quota: -1, limit: -1, overQuotaWeight: 1},
                      gpu: {quota: 4, limit: -1, overQuotaWeight: 1}}}}
- {apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team-b},
   spec: {parentQueue: root, resources: {cpu: {quota: -1, limit: -1, overQuotaWeight: 1},
                      memory: {quota: -1, limit: -1, overQuotaWeight: 1},
                      gpu: {quota: 4, limit: -1, overQuotaWeight: 1}}}}
- {apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: small},
   spec: {parentQueue: root, resources: {cpu: {quota: -1, limit: -1, overQuotaWeight: 1},
                      memory: {quota: -1, limit: -1, overQuotaWeight: 1},
                      gpu: {quota: 0, limit: 1, overQuotaWeight: 1}}}}
- {apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: racks},
   spec: {levels: [{nodeLabel: topo/rack}, {nodeLabel: kubernetes.io/hostname}]}}
)";

json::Value Node(const char* name) {
  return *json::ParseYaml(fmt::format(R"(
apiVersion: v1
kind: Node
metadata:
  name: {0}
  annotations: {{sim.coppice.dev/simulated: "true"}}
  labels: {{kubernetes.io/hostname: {0}, topo/rack: r1, nvidia.com/gpu.count: "4",
           nvidia.com/gpu.memory: "81920"}}
status:
  allocatable: {{cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "4"}}
  capacity: {{cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "4"}}
  conditions: [{{type: Ready, status: "True"}}]
)",
                                      name));
}

// The kinds that steps change, by name alone.
base::Result<api::Resource> FindResource(std::string_view kind) {
  for (const api::Resource* resource :
       {&api::kPods, &api::kPodGroups, &api::kBindRequests, &api::kQueues, &api::kTopologies,
        &api::kConfigMaps, &api::kJobs, &api::kDeployments, &api::kNodes, &api::kPriorityClasses}) {
    if (resource->kind == kind) return *resource;
  }
  return base::Unimplemented(fmt::format("steps on kind {}", kind));
}

// Long enough for every back-off and timeout that a recorded step went through.
constexpr base::Duration kSettle = std::chrono::seconds(20);

}  // namespace

ServicesWorld::ServicesWorld(uint64_t seed) : stepper_(seed) {
  // Without the admission that the API server of the recordings lacked.
  auto made = server::ApiServer::Make(
      {.clock = &stepper_.clock(), .seed = seed, .disabled_admission = {"ServiceAccount"}});
  COPPICE_CHECK(made.ok());
  server_ = *std::move(made);
  admission_ = std::make_unique<stack::EmbeddedAdmission>(*server_);
  client_ = server_->NewClient(stepper_);
  for (const json::Value& crd : api::kai::Crds()) COPPICE_CHECK(server_->InstallCrd(crd).ok());
  server_->StartControllers(stepper_);
  Prepare();
  StartServices();
}

ServicesWorld::~ServicesWorld() {
  if (manager_) manager_->Stop();
  manager_.reset();
}

void ServicesWorld::Prepare() {
  const auto cluster = json::ParseYaml(kCluster);
  COPPICE_CHECK(cluster.ok());
  for (const json::Value& object : cluster->Items()) COPPICE_CHECK(Create(object).ok());
  for (const char* name : {"n1", "n2"}) {
    const json::Value node = Node(name);
    COPPICE_CHECK(client_->Create(api::kNodes, node).ok());
    const json::Value status = json::Value::Object({{"status", node["status"]}});
    COPPICE_CHECK(client_
                      ->Patch(api::kNodes, {"", name}, kube::PatchType::kMerge, status,
                              {.subresource = "status"})
                      .ok());
  }
}

void ServicesWorld::StartServices() {
  admission_->SetKai(std::make_shared<services::admission::Admission>(
      *client_, services::admission::Options{.gpu_sharing_enabled = true}, 1));
  manager_ = kube::Manager::Make(*client_, stepper_);
  sim::AddNodeAgent(*manager_);
  services::workloads::AddToManager(*manager_);
  services::grouper::AddToManager(*manager_, {});
  (void)services::scheduler::AddToManager(*manager_, {.take_default_scheduler = true});
  COPPICE_CHECK(services::binder::AddToManager(
                    *manager_, {.reservation_image = kReservationImage, .reservation_command = {}})
                    .ok());
  COPPICE_CHECK(services::podgroups::AddToManager(*manager_, {.maintain_phase = false}).ok());
  services::queues::AddToManager(*manager_, {});
  manager_->Start();
  stepper_.RunFor(kSettle);
  NewEvents();
}

base::Status ServicesWorld::Create(json::Value object) {
  services::KindResolver resolver(*client_);
  COPPICE_ASSIGN(const api::Resource resource,
                 resolver.Resolve(object["apiVersion"].AsString(), kube::Kind(object)));
  if (resource.namespaced) object.Mutable("metadata").Set("namespace", kCaseNamespace);
  const auto created = client_->Create(resource, object);
  if (created || created.Is(base::ErrorCode::kAlreadyExists)) return {};
  return created.error();
}

base::Status ServicesWorld::Change(const json::Value& step) {
  const std::string_view what = step["do"].AsString();
  COPPICE_ASSIGN(const api::Resource resource, FindResource(step["kind"].AsString()));
  const api::ObjectKey key{resource.namespaced ? kCaseNamespace : "", step["name"].ToString()};
  if (what == "delete") return client_->Delete(resource, key);
  if (what == "scale") {
    const json::Value scale =
        json::Value::Object({{"spec", json::Value::Object({{"replicas", step["replicas"]}})}});
    COPPICE_TRY(
        client_->Patch(resource, key, kube::PatchType::kMerge, scale, {.subresource = "scale"}));
    return {};
  }
  if (what != "patch") return base::Unimplemented(fmt::format("steps that {}", what));
  COPPICE_TRY(client_->Patch(
      resource, key, step["patch"].IsArray() ? kube::PatchType::kJson : kube::PatchType::kMerge,
      step["patch"]));
  return {};
}

std::vector<std::string> ServicesWorld::Do(const json::Value& step) {
  std::vector<std::string> refusals;
  if (step["do"].AsString() == "create") {
    for (const json::Value& object : step["objects"].Items()) {
      if (const base::Status created = Create(object); !created) {
        refusals.push_back(fmt::format("{} {}: {}", kube::Kind(object), kube::Name(object),
                                       created.error().message()));
      }
    }
  } else if (const base::Status changed = Change(step); !changed) {
    refusals.push_back(changed.error().message());
  }
  stepper_.RunFor(kSettle);
  return refusals;
}

void ServicesWorld::LearnUids() {
  for (const api::Resource* resource :
       {&api::kPods, &api::kJobs, &api::kDeployments, &api::kReplicaSets}) {
    const auto list = client_->List(*resource, {.ns = kCaseNamespace});
    if (!list) continue;
    for (const json::Value& object : list->items) {
      uids_[std::string(kube::Uid(object))] =
          fmt::format("<uid of {} {}>", resource->kind, kube::Name(object));
    }
  }
}

std::string ServicesWorld::WithNames(std::string text) {
  for (const auto& [uid, name] : uids_) ReplaceAll(text, uid, name);
  ReplaceAll(text, std::string(kCaseNamespace) + "/", "NS/");
  return text;
}

json::Value ServicesWorld::WithNames(const json::Value& value) {
  return Renamed(value, [this](std::string text) { return WithNames(std::move(text)); });
}

json::Value ServicesWorld::State() {
  LearnUids();
  json::Value state = json::Value::Object();
  const auto add = [&](const api::Resource& resource, const char* ns, std::string_view kind) {
    const auto list = client_->List(resource, {.ns = ns});
    if (!list) return;
    for (const json::Value& object : list->items) {
      const json::Value normal = Normalise(object);
      if (normal.empty() || kube::Name(object) == "kube-root-ca.crt") continue;
      state.Set(WithNames(fmt::format("{}/{}", kind, kube::Name(object))), WithNames(normal));
    }
  };
  add(api::kPods, kCaseNamespace, "Pod");
  add(api::kPodGroups, kCaseNamespace, "PodGroup");
  add(api::kBindRequests, kCaseNamespace, "BindRequest");
  add(api::kConfigMaps, kCaseNamespace, "ConfigMap");
  add(api::kPods, kReservations, "ReservationPod");
  add(api::kQueues, "", "Queue");
  return state;
}

std::vector<json::Value> ServicesWorld::NewEvents() {
  LearnUids();
  std::vector<json::Value> fresh;
  const auto list = client_->List(api::kEvents, {.ns = kCaseNamespace});
  if (!list) return fresh;
  for (const json::Value& event : list->items) {
    if (!seen_events_.insert(std::string(kube::Uid(event))).second) continue;
    fresh.push_back(WithNames(NormaliseEvent(event)));
  }
  return fresh;
}

}  // namespace coppice::vectors
