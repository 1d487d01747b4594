#include "stack/bootstrap.h"

#include <limits>

#include "api/edit/coordination.h"
#include "api/edit/kai.h"
#include "api/edit/node.h"
#include "api/edit/rbac.h"
#include "api/edit/scheduling.h"
#include "api/edit/storage.h"
#include "api/key/core.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "backends/model/scheduler_signs.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "sim/hardware.h"

namespace coppice::stack {
namespace {

using json::Value;

constexpr std::string_view kDefaultClass = api::labels::kDefaultStorageClass;

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
  edit::scheduling::PriorityClass(object)
      .set_value(priority.value)
      .set_globalDefault(false)
      .set_preemptionPolicy("PreemptLowerPriority");
  return object;
}

Value MakeQueue(std::string_view name, std::string_view parent, double quota) {
  Value unlimited = Value::Object();
  edit::kai::QueueResource(unlimited).set_quota(quota).set_limit(-1).set_overQuotaWeight(1);
  Value queue = kube::NewObject(api::kQueues, "", name);
  const edit::kai::QueueSpec spec = edit::kai::Queue(queue).spec();
  if (!parent.empty()) spec.set_parentQueue(parent);
  spec.resources().set_cpu(unlimited).set_gpu(unlimited).set_memory(unlimited);
  return queue;
}

Value MakeStorageClass() {
  Value object = kube::NewObject(api::kStorageClasses, "", "standard");
  const edit::storage::StorageClass edit(object);
  edit.metadata().annotations().Set(kDefaultClass, "true");
  edit.set_provisioner("sim.coppice.dev/volumes")
      .set_reclaimPolicy("Delete")
      .set_volumeBindingMode("WaitForFirstConsumer");
  return object;
}

base::Status EnsureAccount(kube::Client& client, std::string_view ns, std::string_view name) {
  return Ensure(client, api::kServiceAccounts, kube::NewObject(api::kServiceAccounts, ns, name));
}

// Reservation pods write the GPU that they hold on themselves.
base::Status EnsureReservations(kube::Client& client) {
  constexpr std::string_view kName = services::names::kReservationName;
  COPPICE_TRY(EnsureAccount(client, kName, kName));
  Value role = kube::NewObject(api::kRoles, kName, kName);
  edit::rbac::Role(role)
      .add_rules()
      .set_apiGroups(Value::Array({""}))
      .set_resources(Value::Array({"pods"}))
      .set_verbs(Value::Array({"get", "patch"}));
  COPPICE_TRY(Ensure(client, api::kRoles, role));
  Value binding = kube::NewObject(api::kRoleBindings, kName, kName);
  const edit::rbac::RoleBinding edit(binding);
  edit.roleRef().set_apiGroup(api::kRoles.group).set_kind(api::kRoles.kind).set_name(kName);
  edit.add_subjects().set_kind("ServiceAccount").set_name(kName).set_namespace_(kName);
  return Ensure(client, api::kRoleBindings, binding);
}

base::Status EnsureNodes(kube::Client& client, const sim::ClusterShape& shape) {
  for (const Value& node : sim::MakeNodes(shape)) {
    const auto result = client.Create(api::kNodes, node);
    if (result.Is(base::ErrorCode::kAlreadyExists)) continue;
    if (!result) return result.error().During("creating node " + std::string(kube::Name(node)));
    // A status given at creation is dropped, as by any API server.
    const view::core::NodeStatus wanted = view::core::Node(node).status();
    const view::core::NodeStatus made = view::core::Node(*result).status();
    if (made.allocatable().Json() == wanted.allocatable().Json()) continue;
    const Value patch = Value::Object({{key::core::Node::status, wanted.Json()}});
    COPPICE_TRY(client.Patch(api::kNodes, kube::KeyOf(node), kube::PatchType::kMerge, patch,
                             {.subresource = "status"}));
  }
  return {};
}

}  // namespace

base::Status Bootstrap(kube::Client& client, const sim::ClusterShape& shape, double default_quota) {
  // coppice-system is where a component that is run beside the cluster keeps its Leases and
  // Secrets.
  for (std::string_view name : {"default", "kube-system", "coppice-system", "kai-scheduler",
                                "kai-resource-reservation", "kai-scale-adjust"}) {
    COPPICE_TRY(Ensure(client, api::kNamespaces, kube::NewObject(api::kNamespaces, "", name)));
  }
  COPPICE_TRY(EnsureReservations(client));
  COPPICE_TRY(EnsureAccount(client, "kai-scale-adjust", "scaling-pod"));
  for (const PriorityClass& priority : kPriorities) {
    COPPICE_TRY(Ensure(client, api::kPriorityClasses, MakePriorityClass(priority)));
  }
  // Pods that share a GPU run under it.
  Value runtime = kube::NewObject(api::kRuntimeClasses, "", kGpuRuntimeClass);
  edit::node::RuntimeClass(runtime).set_handler(kGpuRuntimeClass);
  COPPICE_TRY(Ensure(client, api::kRuntimeClasses, runtime));
  constexpr std::string_view kParent = "default-parent-queue";
  COPPICE_TRY(Ensure(client, api::kQueues, MakeQueue(kParent, "", default_quota)));
  COPPICE_TRY(Ensure(client, api::kQueues,
                     MakeQueue(services::names::kDefaultQueue, kParent, default_quota)));
  Value shard = kube::NewObject(api::kSchedulingShards, "", "default");
  edit::kai::SchedulingShard(shard).set_spec(Value::Object());
  COPPICE_TRY(Ensure(client, api::kSchedulingShards, shard));
  COPPICE_TRY(EnsureNodes(client, shape));
  COPPICE_TRY(sim::PublishHardware(client, shape));
  if (shape.levels.empty()) return {};
  return Ensure(client, api::kClusterTopologyBindings,
                sim::MakeTopologyBinding(shape, kTopologyName));
}

base::Status ShowScheduler(kube::Client& client, bool runs, base::Time now) {
  const api::ObjectKey key{"kube-system", backends::kEmbeddedSchedulerLease};
  if (!runs) {
    const base::Status gone = client.Delete(api::kLeases, key);
    return gone.Is(base::ErrorCode::kNotFound) ? base::Status() : gone;
  }
  Value lease = kube::NewObject(api::kLeases, key.ns, key.name);
  edit::coordination::Lease(lease)
      .spec()
      .set_holderIdentity("coppice up")
      .set_leaseDurationSeconds(std::numeric_limits<int32_t>::max())
      .set_renewTime(base::FormatRfc3339(now));
  return Ensure(client, api::kLeases, lease);
}

base::Status EnsureDefaultStorageClass(kube::Client& client) {
  return Ensure(client, api::kStorageClasses, MakeStorageClass());
}

}  // namespace coppice::stack
