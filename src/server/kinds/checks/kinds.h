#pragma once

#include <memory>

#include "server/model/kind_rules.h"

// The rules of the built-in kinds, one file each.
namespace coppice::server {

// The finalizer that keeps a PodGroup while pods which could run name it.
inline constexpr char kPodGroupProtection[] = "scheduling.k8s.io/podgroup-protection";

// The finalizers that keep a claim while pods use it, and a volume while it is bound.
inline constexpr char kClaimProtection[] = "kubernetes.io/pvc-protection";
inline constexpr char kVolumeProtection[] = "kubernetes.io/pv-protection";

std::shared_ptr<const KindRules> PlainRules();
// Like PlainRules, with a generation that counts changes of the spec.
std::shared_ptr<const KindRules> GenerationRules();
// Certificate signing requests and replication controllers: what they can be selected by.
std::shared_ptr<const KindRules> CertificateRules();
std::shared_ptr<const KindRules> ReplicationControllerRules();
std::shared_ptr<const KindRules> PodRules();
std::shared_ptr<const KindRules> NamespaceRules();
std::shared_ptr<const KindRules> CrdRules();
std::shared_ptr<const KindRules> RbacRules();
std::shared_ptr<const KindRules> PodTemplateRules();
std::shared_ptr<const KindRules> DeploymentRules();
std::shared_ptr<const KindRules> ReplicaSetRules();
std::shared_ptr<const KindRules> StatefulSetRules();
std::shared_ptr<const KindRules> DaemonSetRules();
std::shared_ptr<const KindRules> JobRules();
std::shared_ptr<const KindRules> CronJobRules();
std::shared_ptr<const KindRules> ServiceRules();
std::shared_ptr<const KindRules> ConfigMapRules();
std::shared_ptr<const KindRules> SecretRules();
std::shared_ptr<const KindRules> PriorityClassRules();
std::shared_ptr<const KindRules> ClaimRules();
std::shared_ptr<const KindRules> LimitRangeRules();
std::shared_ptr<const KindRules> QuotaRules();
std::shared_ptr<const KindRules> VolumeRules();
std::shared_ptr<const KindRules> StorageClassRules();
std::shared_ptr<const KindRules> CsiDriverRules();
std::shared_ptr<const KindRules> CsiNodeRules();
std::shared_ptr<const KindRules> CsiCapacityRules();
std::shared_ptr<const KindRules> EndpointsRules();
std::shared_ptr<const KindRules> EndpointSliceRules();
std::shared_ptr<const KindRules> BudgetRules();
std::shared_ptr<const KindRules> AutoscalerRules();
std::shared_ptr<const KindRules> NodeRules();
std::shared_ptr<const KindRules> EventRules();
// Of events.k8s.io, which asks for more.
std::shared_ptr<const KindRules> NewEventRules();
std::shared_ptr<const KindRules> LeaseRules();
std::shared_ptr<const KindRules> RuntimeClassRules();
std::shared_ptr<const KindRules> ResourceClaimRules();
std::shared_ptr<const KindRules> ResourceClaimTemplateRules();
std::shared_ptr<const KindRules> ResourceSliceRules();
std::shared_ptr<const KindRules> DeviceClassRules();
std::shared_ptr<const KindRules> WorkloadRules();
std::shared_ptr<const KindRules> MutatingWebhookRules();
std::shared_ptr<const KindRules> ValidatingWebhookRules();
std::shared_ptr<const KindRules> ValidatingPolicyRules();
std::shared_ptr<const KindRules> PolicyBindingRules();
std::shared_ptr<const KindRules> PodGroupRules();

}  // namespace coppice::server
