#include "sim/bootstrap.h"

#include "api/well_known.h"
#include "kube/object.h"
#include "sim/hardware.h"

namespace coppice::sim {
namespace {

using json::Value;

struct PriorityClass {
  std::string_view name;
  int value;
};
constexpr PriorityClass kPriorities[] = {
    {"train", 50}, {"build-preemptible", 75}, {"build", 100}, {"inference", 125}};

base::Status Ensure(kube::Client& client, const api::Resource& resource, const Value& object) {
  const auto created = client.Create(resource, object);
  if (created || created.Is(base::ErrorCode::kAlreadyExists)) return {};
  return created.error().During("creating " + resource.kind + " " +
                                std::string(kube::Name(object)));
}

Value MakePriorityClass(const PriorityClass& priority) {
  Value object = kube::NewObject(api::kPriorityClasses, "", priority.name);
  return object.Set("value", priority.value)
      .Set("globalDefault", false)
      .Set("preemptionPolicy", "PreemptLowerPriority");
}

Value MakeQueue(std::string_view name, std::string_view parent) {
  const Value unlimited = Value::Object({{"quota", 0}, {"limit", -1}, {"overQuotaWeight", 1}});
  Value queue = kube::NewObject(api::kQueues, "", name);
  Value& spec = queue.Mutable("spec");
  if (!parent.empty()) spec.Set("parentQueue", parent);
  spec.Set("resources",
           Value::Object({{"cpu", unlimited}, {"gpu", unlimited}, {"memory", unlimited}}));
  return queue;
}

Value MakeStorageClass() {
  Value object = kube::NewObject(api::kStorageClasses, "", "standard");
  object.Mutable("metadata")
      .Mutable("annotations")
      .Set("storageclass.kubernetes.io/is-default-class", "true");
  return object.Set("provisioner", "sim.coppice.dev/volumes")
      .Set("reclaimPolicy", "Delete")
      .Set("volumeBindingMode", "WaitForFirstConsumer");
}

base::Status EnsureAccount(kube::Client& client, std::string_view ns, std::string_view name) {
  return Ensure(client, api::kServiceAccounts, kube::NewObject(api::kServiceAccounts, ns, name));
}

base::Status EnsureNodes(kube::Client& client, const ClusterShape& shape) {
  for (const Value& node : MakeNodes(shape)) {
    Value created = node;
    const auto result = client.Create(api::kNodes, node);
    if (result.Is(base::ErrorCode::kAlreadyExists)) continue;
    if (!result) return result.error().During("creating node " + std::string(kube::Name(node)));
    // A status given at creation is dropped, as by any API server.
    if ((*result)["status"]["allocatable"] == node["status"]["allocatable"]) continue;
    const Value patch = Value::Object({{"status", node["status"]}});
    COPPICE_TRY(client.Patch(api::kNodes, kube::KeyOf(node), kube::PatchType::kMerge, patch,
                             {.subresource = "status"}));
  }
  return {};
}

}  // namespace

base::Status Bootstrap(kube::Client& client, const ClusterShape& shape) {
  for (std::string_view name : {"default", "kube-system", "kai-scheduler",
                                "kai-resource-reservation", "kai-scale-adjust"}) {
    COPPICE_TRY(Ensure(client, api::kNamespaces, kube::NewObject(api::kNamespaces, "", name)));
  }
  // Who the pods that reserve GPUs, or ask for nodes, act for.
  COPPICE_TRY(EnsureAccount(client, "kai-resource-reservation", "kai-resource-reservation"));
  COPPICE_TRY(EnsureAccount(client, "kai-scale-adjust", "scaling-pod"));
  for (const PriorityClass& priority : kPriorities) {
    COPPICE_TRY(Ensure(client, api::kPriorityClasses, MakePriorityClass(priority)));
  }
  // Pods that share a GPU run under it.
  Value runtime = kube::NewObject(api::kRuntimeClasses, "", "nvidia");
  COPPICE_TRY(Ensure(client, api::kRuntimeClasses, runtime.Set("handler", "nvidia")));
  COPPICE_TRY(Ensure(client, api::kQueues, MakeQueue("default-parent-queue", "")));
  COPPICE_TRY(Ensure(client, api::kQueues, MakeQueue("default-queue", "default-parent-queue")));
  Value shard = kube::NewObject(api::kSchedulingShards, "", "default");
  COPPICE_TRY(Ensure(client, api::kSchedulingShards, shard.Set("spec", Value::Object())));
  COPPICE_TRY(EnsureNodes(client, shape));
  COPPICE_TRY(PublishHardware(client, shape));
  if (shape.levels.empty()) return {};
  return Ensure(client, api::kClusterTopologyBindings, MakeTopologyBinding(shape, kTopologyName));
}

base::Status EnsureDefaultStorageClass(kube::Client& client) {
  return Ensure(client, api::kStorageClasses, MakeStorageClass());
}

}  // namespace coppice::sim
