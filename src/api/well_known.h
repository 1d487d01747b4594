#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/resource.h"

// The resources that our components read or write, by name. `inline const` so that every user
// shares one definition.
namespace coppice::api {

// Kubernetes.
inline const Resource kPods{"", "v1", "pods", "Pod", true};
inline const Resource kNodes{"", "v1", "nodes", "Node", false};
inline const Resource kNamespaces{"", "v1", "namespaces", "Namespace", false};
inline const Resource kServices{"", "v1", "services", "Service", true};
inline const Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap", true};
inline const Resource kSecrets{"", "v1", "secrets", "Secret", true};
inline const Resource kServiceAccounts{"", "v1", "serviceaccounts", "ServiceAccount", true};
inline const Resource kEvents{"", "v1", "events", "Event", true};
inline const Resource kPersistentVolumeClaims{"", "v1", "persistentvolumeclaims",
                                              "PersistentVolumeClaim", true};
inline const Resource kPersistentVolumes{"", "v1", "persistentvolumes", "PersistentVolume", false};
inline const Resource kLeases{"coordination.k8s.io", "v1", "leases", "Lease", true};
inline const Resource kDeployments{"apps", "v1", "deployments", "Deployment", true};
inline const Resource kReplicaSets{"apps", "v1", "replicasets", "ReplicaSet", true};
inline const Resource kStatefulSets{"apps", "v1", "statefulsets", "StatefulSet", true};
inline const Resource kJobs{"batch", "v1", "jobs", "Job", true};
inline const Resource kRoles{"rbac.authorization.k8s.io", "v1", "roles", "Role", true};
inline const Resource kRoleBindings{"rbac.authorization.k8s.io", "v1", "rolebindings",
                                    "RoleBinding", true};
inline const Resource kHorizontalPodAutoscalers{"autoscaling", "v2", "horizontalpodautoscalers",
                                                "HorizontalPodAutoscaler", true};
inline const Resource kPriorityClasses{"scheduling.k8s.io", "v1", "priorityclasses",
                                       "PriorityClass", false};
inline const Resource kRuntimeClasses{"node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", false};
inline const Resource kStorageClasses{"storage.k8s.io", "v1", "storageclasses", "StorageClass",
                                      false};
inline const Resource kCsiDrivers{"storage.k8s.io", "v1", "csidrivers", "CSIDriver", false};
inline const Resource kCsiStorageCapacities{"storage.k8s.io", "v1", "csistoragecapacities",
                                            "CSIStorageCapacity", true};
inline const Resource kResourceClaims{"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim",
                                      true};
inline const Resource kResourceClaimTemplates{"resource.k8s.io", "v1", "resourceclaimtemplates",
                                              "ResourceClaimTemplate", true};
inline const Resource kResourceSlices{"resource.k8s.io", "v1", "resourceslices", "ResourceSlice",
                                      false};
inline const Resource kDeviceClasses{"resource.k8s.io", "v1", "deviceclasses", "DeviceClass",
                                     false};
inline const Resource kWorkloadsV1Alpha1{"scheduling.k8s.io", "v1alpha1", "workloads", "Workload",
                                         true};
inline const Resource kEndpointSlices{"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice",
                                      true};
inline const Resource kMutatingWebhooks{"admissionregistration.k8s.io", "v1",
                                        "mutatingwebhookconfigurations",
                                        "MutatingWebhookConfiguration", false};
inline const Resource kValidatingWebhooks{"admissionregistration.k8s.io", "v1",
                                          "validatingwebhookconfigurations",
                                          "ValidatingWebhookConfiguration", false};
inline const Resource kCustomResourceDefinitions{
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false};

// Grove.
inline const Resource kPodCliqueSets{"grove.io", "v1alpha1", "podcliquesets", "PodCliqueSet", true};
inline const Resource kPodCliques{"grove.io", "v1alpha1", "podcliques", "PodClique", true};
inline const Resource kPodCliqueScalingGroups{"grove.io", "v1alpha1", "podcliquescalinggroups",
                                              "PodCliqueScalingGroup", true};
inline const Resource kClusterTopologyBindings{"grove.io", "v1alpha1", "clustertopologybindings",
                                               "ClusterTopologyBinding", false};
inline const Resource kPodGangs{"scheduler.grove.io", "v1alpha1", "podgangs", "PodGang", true};

// KAI.
inline const Resource kQueues{"scheduling.run.ai", "v2", "queues", "Queue", false};
inline const Resource kPodGroups{"scheduling.run.ai", "v2alpha2", "podgroups", "PodGroup", true};
inline const Resource kBindRequests{"scheduling.run.ai", "v1alpha2", "bindrequests", "BindRequest",
                                    true};
inline const Resource kTopologies{"kai.scheduler", "v1alpha1", "topologies", "Topology", false};
inline const Resource kConfigs{"kai.scheduler", "v1", "configs", "Config", false};
inline const Resource kSchedulingShards{"kai.scheduler", "v1", "schedulingshards",
                                        "SchedulingShard", false};

// The resource of this kind. Kinds not listed above are guessed by Kubernetes' naming habit, which
// needs the API version, and taken as namespaced.
std::optional<Resource> FindResource(std::string_view kind, std::string_view api_version = {});

}  // namespace coppice::api
