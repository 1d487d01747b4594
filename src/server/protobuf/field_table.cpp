#include "server/protobuf/field_table.h"

namespace coppice::server {

// Numbers and types on the wire are part of Kubernetes' API. Written by `kube protobuf-table` of
// tests/real from the API types of the version that it links.
std::string_view ProtobufFieldTable() {
  return R"table(
kind admissionregistration.k8s.io/v1 MutatingWebhookConfiguration
  admissionregistration/v1.MutatingWebhookConfiguration
kind admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy
  admissionregistration/v1.ValidatingAdmissionPolicy
kind admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding
  admissionregistration/v1.ValidatingAdmissionPolicyBinding
kind admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration
  admissionregistration/v1.ValidatingWebhookConfiguration
kind apiextensions.k8s.io/v1 CustomResourceDefinition apiextensions/v1.CustomResourceDefinition
kind apiregistration.k8s.io/v1 APIService apiregistration/v1.APIService
kind apps/v1 ControllerRevision apps/v1.ControllerRevision
kind apps/v1 DaemonSet apps/v1.DaemonSet
kind apps/v1 Deployment apps/v1.Deployment
kind apps/v1 ReplicaSet apps/v1.ReplicaSet
kind apps/v1 StatefulSet apps/v1.StatefulSet
kind authentication.k8s.io/v1 SelfSubjectReview authentication/v1.SelfSubjectReview
kind authentication.k8s.io/v1 TokenRequest authentication/v1.TokenRequest
kind authentication.k8s.io/v1 TokenReview authentication/v1.TokenReview
kind authorization.k8s.io/v1 LocalSubjectAccessReview authorization/v1.LocalSubjectAccessReview
kind authorization.k8s.io/v1 SelfSubjectAccessReview authorization/v1.SelfSubjectAccessReview
kind authorization.k8s.io/v1 SelfSubjectRulesReview authorization/v1.SelfSubjectRulesReview
kind authorization.k8s.io/v1 SubjectAccessReview authorization/v1.SubjectAccessReview
kind autoscaling/v1 HorizontalPodAutoscaler autoscaling/v1.HorizontalPodAutoscaler
kind autoscaling/v1 Scale autoscaling/v1.Scale
kind autoscaling/v2 HorizontalPodAutoscaler autoscaling/v2.HorizontalPodAutoscaler
kind batch/v1 CronJob batch/v1.CronJob
kind batch/v1 Job batch/v1.Job
kind certificates.k8s.io/v1 CertificateSigningRequest certificates/v1.CertificateSigningRequest
kind coordination.k8s.io/v1 Lease coordination/v1.Lease
kind discovery.k8s.io/v1 EndpointSlice discovery/v1.EndpointSlice
kind events.k8s.io/v1 Event events/v1.Event
kind flowcontrol.apiserver.k8s.io/v1 FlowSchema flowcontrol/v1.FlowSchema
kind flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration
  flowcontrol/v1.PriorityLevelConfiguration
kind meta.k8s.io/v1 PartialObjectMetadata meta/v1.PartialObjectMetadata
kind networking.k8s.io/v1 IPAddress networking/v1.IPAddress
kind networking.k8s.io/v1 Ingress networking/v1.Ingress
kind networking.k8s.io/v1 IngressClass networking/v1.IngressClass
kind networking.k8s.io/v1 NetworkPolicy networking/v1.NetworkPolicy
kind networking.k8s.io/v1 ServiceCIDR networking/v1.ServiceCIDR
kind node.k8s.io/v1 RuntimeClass node/v1.RuntimeClass
kind policy/v1 Eviction policy/v1.Eviction
kind policy/v1 PodDisruptionBudget policy/v1.PodDisruptionBudget
kind rbac.authorization.k8s.io/v1 ClusterRole rbac/v1.ClusterRole
kind rbac.authorization.k8s.io/v1 ClusterRoleBinding rbac/v1.ClusterRoleBinding
kind rbac.authorization.k8s.io/v1 Role rbac/v1.Role
kind rbac.authorization.k8s.io/v1 RoleBinding rbac/v1.RoleBinding
kind resource.k8s.io/v1 DeviceClass resource/v1.DeviceClass
kind resource.k8s.io/v1 ResourceClaim resource/v1.ResourceClaim
kind resource.k8s.io/v1 ResourceClaimTemplate resource/v1.ResourceClaimTemplate
kind resource.k8s.io/v1 ResourceSlice resource/v1.ResourceSlice
kind scheduling.k8s.io/v1 PriorityClass scheduling/v1.PriorityClass
kind scheduling.k8s.io/v1alpha1 PriorityClass scheduling/v1alpha1.PriorityClass
kind scheduling.k8s.io/v1alpha1 Workload scheduling/v1alpha1.Workload
kind storage.k8s.io/v1 CSIDriver storage/v1.CSIDriver
kind storage.k8s.io/v1 CSINode storage/v1.CSINode
kind storage.k8s.io/v1 CSIStorageCapacity storage/v1.CSIStorageCapacity
kind storage.k8s.io/v1 StorageClass storage/v1.StorageClass
kind storage.k8s.io/v1 VolumeAttachment storage/v1.VolumeAttachment
kind storage.k8s.io/v1 VolumeAttributesClass storage/v1.VolumeAttributesClass
kind v1 APIGroup meta/v1.APIGroup
kind v1 APIGroupList meta/v1.APIGroupList
kind v1 APIResourceList meta/v1.APIResourceList
kind v1 APIVersions meta/v1.APIVersions
kind v1 Binding core/v1.Binding
kind v1 ComponentStatus core/v1.ComponentStatus
kind v1 ConfigMap core/v1.ConfigMap
kind v1 DeleteOptions meta/v1.DeleteOptions
kind v1 Endpoints core/v1.Endpoints
kind v1 Event core/v1.Event
kind v1 LimitRange core/v1.LimitRange
kind v1 Namespace core/v1.Namespace
kind v1 Node core/v1.Node
kind v1 PersistentVolume core/v1.PersistentVolume
kind v1 PersistentVolumeClaim core/v1.PersistentVolumeClaim
kind v1 Pod core/v1.Pod
kind v1 PodStatusResult core/v1.PodStatusResult
kind v1 PodTemplate core/v1.PodTemplate
kind v1 RangeAllocation core/v1.RangeAllocation
kind v1 ReplicationController core/v1.ReplicationController
kind v1 ResourceQuota core/v1.ResourceQuota
kind v1 Secret core/v1.Secret
kind v1 SerializedReference core/v1.SerializedReference
kind v1 Service core/v1.Service
kind v1 ServiceAccount core/v1.ServiceAccount
kind v1 Status meta/v1.Status
type admissionregistration/v1.AuditAnnotation 1:key:s 2:valueExpression:s
type admissionregistration/v1.ExpressionWarning 2:fieldRef:s 3:warning:s
type admissionregistration/v1.MatchCondition 1:name:s 2:expression:s
type admissionregistration/v1.MatchResources 1:namespaceSelector:*mmeta/v1.LabelSelector
  2:objectSelector:*mmeta/v1.LabelSelector
  3:resourceRules:Rmadmissionregistration/v1.NamedRuleWithOperations
  4:excludeResourceRules:Rmadmissionregistration/v1.NamedRuleWithOperations 7:matchPolicy:*s
type admissionregistration/v1.MutatingWebhook 1:name:s
  2:clientConfig:madmissionregistration/v1.WebhookClientConfig
  3:rules:Rmadmissionregistration/v1.RuleWithOperations 4:failurePolicy:*s 9:matchPolicy:*s
  5:namespaceSelector:*mmeta/v1.LabelSelector 11:objectSelector:*mmeta/v1.LabelSelector
  6:sideEffects:*s 7:timeoutSeconds:*i 8:admissionReviewVersions:Rs 10:reinvocationPolicy:*s
  12:matchConditions:Rmadmissionregistration/v1.MatchCondition
type admissionregistration/v1.MutatingWebhookConfiguration 1:metadata:mmeta/v1.ObjectMeta
  2:webhooks:Rmadmissionregistration/v1.MutatingWebhook
type admissionregistration/v1.NamedRuleWithOperations 1:resourceNames:Rs
  2:-:madmissionregistration/v1.RuleWithOperations
type admissionregistration/v1.ParamKind 1:apiVersion:s 2:kind:s
type admissionregistration/v1.ParamRef 1:name:s 2:namespace:s 3:selector:*mmeta/v1.LabelSelector
  4:parameterNotFoundAction:*s
type admissionregistration/v1.Rule 1:apiGroups:Rs 2:apiVersions:Rs 3:resources:Rs 4:scope:*s
type admissionregistration/v1.RuleWithOperations 1:operations:Rs
  2:-:madmissionregistration/v1.Rule
type admissionregistration/v1.ServiceReference 1:namespace:s 2:name:s 3:path:*s 4:port:*i
type admissionregistration/v1.TypeChecking
  1:expressionWarnings:Rmadmissionregistration/v1.ExpressionWarning
type admissionregistration/v1.ValidatingAdmissionPolicy 1:metadata:mmeta/v1.ObjectMeta
  2:spec:madmissionregistration/v1.ValidatingAdmissionPolicySpec
  3:status:madmissionregistration/v1.ValidatingAdmissionPolicyStatus
type admissionregistration/v1.ValidatingAdmissionPolicyBinding 1:metadata:mmeta/v1.ObjectMeta
  2:spec:madmissionregistration/v1.ValidatingAdmissionPolicyBindingSpec
type admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec 1:policyName:s
  2:paramRef:*madmissionregistration/v1.ParamRef
  3:matchResources:*madmissionregistration/v1.MatchResources 4:validationActions:Rs
type admissionregistration/v1.ValidatingAdmissionPolicySpec
  1:paramKind:*madmissionregistration/v1.ParamKind
  2:matchConstraints:*madmissionregistration/v1.MatchResources
  3:validations:Rmadmissionregistration/v1.Validation 4:failurePolicy:*s
  5:auditAnnotations:Rmadmissionregistration/v1.AuditAnnotation
  6:matchConditions:Rmadmissionregistration/v1.MatchCondition
  7:variables:Rmadmissionregistration/v1.Variable
type admissionregistration/v1.ValidatingAdmissionPolicyStatus 1:observedGeneration:i
  2:typeChecking:*madmissionregistration/v1.TypeChecking 3:conditions:Rmmeta/v1.Condition
type admissionregistration/v1.ValidatingWebhook 1:name:s
  2:clientConfig:madmissionregistration/v1.WebhookClientConfig
  3:rules:Rmadmissionregistration/v1.RuleWithOperations 4:failurePolicy:*s 9:matchPolicy:*s
  5:namespaceSelector:*mmeta/v1.LabelSelector 10:objectSelector:*mmeta/v1.LabelSelector
  6:sideEffects:*s 7:timeoutSeconds:*i 8:admissionReviewVersions:Rs
  11:matchConditions:Rmadmissionregistration/v1.MatchCondition
type admissionregistration/v1.ValidatingWebhookConfiguration 1:metadata:mmeta/v1.ObjectMeta
  2:webhooks:Rmadmissionregistration/v1.ValidatingWebhook
type admissionregistration/v1.Validation 1:expression:s 2:message:s 3:reason:*s
  4:messageExpression:s
type admissionregistration/v1.Variable 1:name:s 2:expression:s
type admissionregistration/v1.WebhookClientConfig 3:url:*s
  1:service:*madmissionregistration/v1.ServiceReference 2:caBundle:y
type apiextensions/v1.CustomResourceColumnDefinition 1:name:s 2:type:s 3:format:s 4:description:s
  5:priority:i 6:jsonPath:s
type apiextensions/v1.CustomResourceConversion 1:strategy:s
  2:webhook:*mapiextensions/v1.WebhookConversion
type apiextensions/v1.CustomResourceDefinition 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mapiextensions/v1.CustomResourceDefinitionSpec
  3:status:mapiextensions/v1.CustomResourceDefinitionStatus
type apiextensions/v1.CustomResourceDefinitionCondition 1:type:s 2:status:s
  3:lastTransitionTime:T 4:reason:s 5:message:s 6:observedGeneration:i
type apiextensions/v1.CustomResourceDefinitionNames 1:plural:s 2:singular:s 3:shortNames:Rs
  4:kind:s 5:listKind:s 6:categories:Rs
type apiextensions/v1.CustomResourceDefinitionSpec 1:group:s
  3:names:mapiextensions/v1.CustomResourceDefinitionNames 4:scope:s
  7:versions:Rmapiextensions/v1.CustomResourceDefinitionVersion
  9:conversion:*mapiextensions/v1.CustomResourceConversion 10:preserveUnknownFields:b
type apiextensions/v1.CustomResourceDefinitionStatus
  1:conditions:Rmapiextensions/v1.CustomResourceDefinitionCondition
  2:acceptedNames:mapiextensions/v1.CustomResourceDefinitionNames 3:storedVersions:Rs
  4:observedGeneration:i
type apiextensions/v1.CustomResourceDefinitionVersion 1:name:s 2:served:b 3:storage:b
  7:deprecated:b 8:deprecationWarning:*s 4:schema:*mapiextensions/v1.CustomResourceValidation
  5:subresources:*mapiextensions/v1.CustomResourceSubresources
  6:additionalPrinterColumns:Rmapiextensions/v1.CustomResourceColumnDefinition
  9:selectableFields:Rmapiextensions/v1.SelectableField
type apiextensions/v1.CustomResourceSubresourceScale 1:specReplicasPath:s 2:statusReplicasPath:s
  3:labelSelectorPath:*s
type apiextensions/v1.CustomResourceSubresourceStatus
type apiextensions/v1.CustomResourceSubresources
  1:status:*mapiextensions/v1.CustomResourceSubresourceStatus
  2:scale:*mapiextensions/v1.CustomResourceSubresourceScale
type apiextensions/v1.CustomResourceValidation
  1:openAPIV3Schema:*mapiextensions/v1.JSONSchemaProps
type apiextensions/v1.ExternalDocumentation 1:description:s 2:url:s
type apiextensions/v1.JSONSchemaProps 1:id:s 2:$schema:s 3:$ref:*s 4:description:s 5:type:s
  6:format:s 7:title:s 8:default:*X 9:maximum:*d 10:exclusiveMaximum:b 11:minimum:*d
  12:exclusiveMinimum:b 13:maxLength:*i 14:minLength:*i 15:pattern:s 16:maxItems:*i 17:minItems:*i
  18:uniqueItems:b 19:multipleOf:*d 20:enum:RX 21:maxProperties:*i 22:minProperties:*i
  23:required:Rs 24:items:*A 25:allOf:Rmapiextensions/v1.JSONSchemaProps
  26:oneOf:Rmapiextensions/v1.JSONSchemaProps 27:anyOf:Rmapiextensions/v1.JSONSchemaProps
  28:not:*mapiextensions/v1.JSONSchemaProps 29:properties:Mmapiextensions/v1.JSONSchemaProps
  30:additionalProperties:*B 31:patternProperties:Mmapiextensions/v1.JSONSchemaProps
  32:dependencies:MP 33:additionalItems:*B 34:definitions:Mmapiextensions/v1.JSONSchemaProps
  35:externalDocs:*mapiextensions/v1.ExternalDocumentation 36:example:*X 37:nullable:b
  38:x-kubernetes-preserve-unknown-fields:*b 39:x-kubernetes-embedded-resource:b
  40:x-kubernetes-int-or-string:b 41:x-kubernetes-list-map-keys:Rs 42:x-kubernetes-list-type:*s
  43:x-kubernetes-map-type:*s 44:x-kubernetes-validations:Rmapiextensions/v1.ValidationRule
type apiextensions/v1.SelectableField 1:jsonPath:s
type apiextensions/v1.ServiceReference 1:namespace:s 2:name:s 3:path:*s 4:port:*i
type apiextensions/v1.ValidationRule 1:rule:s 2:message:s 3:messageExpression:s 4:reason:*s
  5:fieldPath:s 6:optionalOldSelf:*b
type apiextensions/v1.WebhookClientConfig 3:url:*s 1:service:*mapiextensions/v1.ServiceReference
  2:caBundle:y
type apiextensions/v1.WebhookConversion 2:clientConfig:*mapiextensions/v1.WebhookClientConfig
  3:conversionReviewVersions:Rs
type apiregistration/v1.APIService 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mapiregistration/v1.APIServiceSpec 3:status:mapiregistration/v1.APIServiceStatus
type apiregistration/v1.APIServiceCondition 1:type:s 2:status:s 3:lastTransitionTime:T 4:reason:s
  5:message:s
type apiregistration/v1.APIServiceSpec 1:service:*mapiregistration/v1.ServiceReference 2:group:s
  3:version:s 4:insecureSkipTLSVerify:b 5:caBundle:y 7:groupPriorityMinimum:i 8:versionPriority:i
type apiregistration/v1.APIServiceStatus 1:conditions:Rmapiregistration/v1.APIServiceCondition
type apiregistration/v1.ServiceReference 1:namespace:s 2:name:s 3:port:*i
type apps/v1.ControllerRevision 1:metadata:mmeta/v1.ObjectMeta 2:data:X 3:revision:i
type apps/v1.DaemonSet 1:metadata:mmeta/v1.ObjectMeta 2:spec:mapps/v1.DaemonSetSpec
  3:status:mapps/v1.DaemonSetStatus
type apps/v1.DaemonSetCondition 1:type:s 2:status:s 3:lastTransitionTime:T 4:reason:s 5:message:s
type apps/v1.DaemonSetSpec 1:selector:*mmeta/v1.LabelSelector 2:template:mcore/v1.PodTemplateSpec
  3:updateStrategy:mapps/v1.DaemonSetUpdateStrategy 4:minReadySeconds:i 6:revisionHistoryLimit:*i
type apps/v1.DaemonSetStatus 1:currentNumberScheduled:i 2:numberMisscheduled:i
  3:desiredNumberScheduled:i 4:numberReady:i 5:observedGeneration:i 6:updatedNumberScheduled:i
  7:numberAvailable:i 8:numberUnavailable:i 9:collisionCount:*i
  10:conditions:Rmapps/v1.DaemonSetCondition
type apps/v1.DaemonSetUpdateStrategy 1:type:s 2:rollingUpdate:*mapps/v1.RollingUpdateDaemonSet
type apps/v1.Deployment 1:metadata:mmeta/v1.ObjectMeta 2:spec:mapps/v1.DeploymentSpec
  3:status:mapps/v1.DeploymentStatus
type apps/v1.DeploymentCondition 1:type:s 2:status:s 6:lastUpdateTime:T 7:lastTransitionTime:T
  4:reason:s 5:message:s
type apps/v1.DeploymentSpec 1:replicas:*i 2:selector:*mmeta/v1.LabelSelector
  3:template:mcore/v1.PodTemplateSpec 4:strategy:mapps/v1.DeploymentStrategy 5:minReadySeconds:i
  6:revisionHistoryLimit:*i 7:paused:b 9:progressDeadlineSeconds:*i
type apps/v1.DeploymentStatus 1:observedGeneration:i 2:replicas:i 3:updatedReplicas:i
  7:readyReplicas:i 4:availableReplicas:i 5:unavailableReplicas:i 9:terminatingReplicas:*i
  6:conditions:Rmapps/v1.DeploymentCondition 8:collisionCount:*i
type apps/v1.DeploymentStrategy 1:type:s 2:rollingUpdate:*mapps/v1.RollingUpdateDeployment
type apps/v1.ReplicaSet 1:metadata:mmeta/v1.ObjectMeta 2:spec:mapps/v1.ReplicaSetSpec
  3:status:mapps/v1.ReplicaSetStatus
type apps/v1.ReplicaSetCondition 1:type:s 2:status:s 3:lastTransitionTime:T 4:reason:s 5:message:s
type apps/v1.ReplicaSetSpec 1:replicas:*i 4:minReadySeconds:i 2:selector:*mmeta/v1.LabelSelector
  3:template:mcore/v1.PodTemplateSpec
type apps/v1.ReplicaSetStatus 1:replicas:i 2:fullyLabeledReplicas:i 4:readyReplicas:i
  5:availableReplicas:i 7:terminatingReplicas:*i 3:observedGeneration:i
  6:conditions:Rmapps/v1.ReplicaSetCondition
type apps/v1.RollingUpdateDaemonSet 1:maxUnavailable:*O 2:maxSurge:*O
type apps/v1.RollingUpdateDeployment 1:maxUnavailable:*O 2:maxSurge:*O
type apps/v1.RollingUpdateStatefulSetStrategy 1:partition:*i 2:maxUnavailable:*O
type apps/v1.StatefulSet 1:metadata:mmeta/v1.ObjectMeta 2:spec:mapps/v1.StatefulSetSpec
  3:status:mapps/v1.StatefulSetStatus
type apps/v1.StatefulSetCondition 1:type:s 2:status:s 3:lastTransitionTime:T 4:reason:s
  5:message:s
type apps/v1.StatefulSetOrdinals 1:start:i
type apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy 1:whenDeleted:s 2:whenScaled:s
type apps/v1.StatefulSetSpec 1:replicas:*i 2:selector:*mmeta/v1.LabelSelector
  3:template:mcore/v1.PodTemplateSpec 4:volumeClaimTemplates:Rmcore/v1.PersistentVolumeClaim
  5:serviceName:s 6:podManagementPolicy:s 7:updateStrategy:mapps/v1.StatefulSetUpdateStrategy
  8:revisionHistoryLimit:*i 9:minReadySeconds:i
  10:persistentVolumeClaimRetentionPolicy:*mapps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy
  11:ordinals:*mapps/v1.StatefulSetOrdinals
type apps/v1.StatefulSetStatus 1:observedGeneration:i 2:replicas:i 3:readyReplicas:i
  4:currentReplicas:i 5:updatedReplicas:i 6:currentRevision:s 7:updateRevision:s
  9:collisionCount:*i 10:conditions:Rmapps/v1.StatefulSetCondition 11:availableReplicas:i
type apps/v1.StatefulSetUpdateStrategy 1:type:s
  2:rollingUpdate:*mapps/v1.RollingUpdateStatefulSetStrategy
type authentication/v1.BoundObjectReference 1:kind:s 2:apiVersion:s 3:name:s 4:uid:s
type authentication/v1.SelfSubjectReview 1:metadata:mmeta/v1.ObjectMeta
  2:status:mauthentication/v1.SelfSubjectReviewStatus
type authentication/v1.SelfSubjectReviewStatus 1:userInfo:mauthentication/v1.UserInfo
type authentication/v1.TokenRequest 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mauthentication/v1.TokenRequestSpec 3:status:mauthentication/v1.TokenRequestStatus
type authentication/v1.TokenRequestSpec 1:audiences:Rs 4:expirationSeconds:*i
  3:boundObjectRef:*mauthentication/v1.BoundObjectReference
type authentication/v1.TokenRequestStatus 1:token:s 2:expirationTimestamp:T
type authentication/v1.TokenReview 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mauthentication/v1.TokenReviewSpec 3:status:mauthentication/v1.TokenReviewStatus
type authentication/v1.TokenReviewSpec 1:token:s 2:audiences:Rs
type authentication/v1.TokenReviewStatus 1:authenticated:b 2:user:mauthentication/v1.UserInfo
  4:audiences:Rs 3:error:s
type authentication/v1.UserInfo 1:username:s 2:uid:s 3:groups:Rs 4:extra:MLs
type authorization/v1.FieldSelectorAttributes 1:rawSelector:s
  2:requirements:Rmmeta/v1.FieldSelectorRequirement
type authorization/v1.LabelSelectorAttributes 1:rawSelector:s
  2:requirements:Rmmeta/v1.LabelSelectorRequirement
type authorization/v1.LocalSubjectAccessReview 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mauthorization/v1.SubjectAccessReviewSpec
  3:status:mauthorization/v1.SubjectAccessReviewStatus
type authorization/v1.NonResourceAttributes 1:path:s 2:verb:s
type authorization/v1.NonResourceRule 1:verbs:Rs 2:nonResourceURLs:Rs
type authorization/v1.ResourceAttributes 1:namespace:s 2:verb:s 3:group:s 4:version:s 5:resource:s
  6:subresource:s 7:name:s 8:fieldSelector:*mauthorization/v1.FieldSelectorAttributes
  9:labelSelector:*mauthorization/v1.LabelSelectorAttributes
type authorization/v1.ResourceRule 1:verbs:Rs 2:apiGroups:Rs 3:resources:Rs 4:resourceNames:Rs
type authorization/v1.SelfSubjectAccessReview 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mauthorization/v1.SelfSubjectAccessReviewSpec
  3:status:mauthorization/v1.SubjectAccessReviewStatus
type authorization/v1.SelfSubjectAccessReviewSpec
  1:resourceAttributes:*mauthorization/v1.ResourceAttributes
  2:nonResourceAttributes:*mauthorization/v1.NonResourceAttributes
type authorization/v1.SelfSubjectRulesReview 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mauthorization/v1.SelfSubjectRulesReviewSpec
  3:status:mauthorization/v1.SubjectRulesReviewStatus
type authorization/v1.SelfSubjectRulesReviewSpec 1:namespace:s
type authorization/v1.SubjectAccessReview 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mauthorization/v1.SubjectAccessReviewSpec
  3:status:mauthorization/v1.SubjectAccessReviewStatus
type authorization/v1.SubjectAccessReviewSpec
  1:resourceAttributes:*mauthorization/v1.ResourceAttributes
  2:nonResourceAttributes:*mauthorization/v1.NonResourceAttributes 3:user:s 4:groups:Rs
  5:extra:MLs 6:uid:s
type authorization/v1.SubjectAccessReviewStatus 1:allowed:b 4:denied:b 2:reason:s
  3:evaluationError:s
type authorization/v1.SubjectRulesReviewStatus 1:resourceRules:Rmauthorization/v1.ResourceRule
  2:nonResourceRules:Rmauthorization/v1.NonResourceRule 3:incomplete:b 4:evaluationError:s
type autoscaling/v1.CrossVersionObjectReference 1:kind:s 2:name:s 3:apiVersion:s
type autoscaling/v1.HorizontalPodAutoscaler 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mautoscaling/v1.HorizontalPodAutoscalerSpec
  3:status:mautoscaling/v1.HorizontalPodAutoscalerStatus
type autoscaling/v1.HorizontalPodAutoscalerSpec
  1:scaleTargetRef:mautoscaling/v1.CrossVersionObjectReference 2:minReplicas:*i 3:maxReplicas:i
  4:targetCPUUtilizationPercentage:*i
type autoscaling/v1.HorizontalPodAutoscalerStatus 1:observedGeneration:*i 2:lastScaleTime:*T
  3:currentReplicas:i 4:desiredReplicas:i 5:currentCPUUtilizationPercentage:*i
type autoscaling/v1.Scale 1:metadata:mmeta/v1.ObjectMeta 2:spec:mautoscaling/v1.ScaleSpec
  3:status:mautoscaling/v1.ScaleStatus
type autoscaling/v1.ScaleSpec 1:replicas:i
type autoscaling/v1.ScaleStatus 1:replicas:i 2:selector:s
type autoscaling/v2.ContainerResourceMetricSource 1:name:s 2:target:mautoscaling/v2.MetricTarget
  3:container:s
type autoscaling/v2.ContainerResourceMetricStatus 1:name:s
  2:current:mautoscaling/v2.MetricValueStatus 3:container:s
type autoscaling/v2.CrossVersionObjectReference 1:kind:s 2:name:s 3:apiVersion:s
type autoscaling/v2.ExternalMetricSource 1:metric:mautoscaling/v2.MetricIdentifier
  2:target:mautoscaling/v2.MetricTarget
type autoscaling/v2.ExternalMetricStatus 1:metric:mautoscaling/v2.MetricIdentifier
  2:current:mautoscaling/v2.MetricValueStatus
type autoscaling/v2.HPAScalingPolicy 1:type:s 2:value:i 3:periodSeconds:i
type autoscaling/v2.HPAScalingRules 3:stabilizationWindowSeconds:*i 1:selectPolicy:*s
  2:policies:Rmautoscaling/v2.HPAScalingPolicy 4:tolerance:*Q
type autoscaling/v2.HorizontalPodAutoscaler 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mautoscaling/v2.HorizontalPodAutoscalerSpec
  3:status:mautoscaling/v2.HorizontalPodAutoscalerStatus
type autoscaling/v2.HorizontalPodAutoscalerBehavior 1:scaleUp:*mautoscaling/v2.HPAScalingRules
  2:scaleDown:*mautoscaling/v2.HPAScalingRules
type autoscaling/v2.HorizontalPodAutoscalerCondition 1:type:s 2:status:s 3:lastTransitionTime:T
  4:reason:s 5:message:s
type autoscaling/v2.HorizontalPodAutoscalerSpec
  1:scaleTargetRef:mautoscaling/v2.CrossVersionObjectReference 2:minReplicas:*i 3:maxReplicas:i
  4:metrics:Rmautoscaling/v2.MetricSpec
  5:behavior:*mautoscaling/v2.HorizontalPodAutoscalerBehavior
type autoscaling/v2.HorizontalPodAutoscalerStatus 1:observedGeneration:*i 2:lastScaleTime:*T
  3:currentReplicas:i 4:desiredReplicas:i 5:currentMetrics:Rmautoscaling/v2.MetricStatus
  6:conditions:Rmautoscaling/v2.HorizontalPodAutoscalerCondition
type autoscaling/v2.MetricIdentifier 1:name:s 2:selector:*mmeta/v1.LabelSelector
type autoscaling/v2.MetricSpec 1:type:s 2:object:*mautoscaling/v2.ObjectMetricSource
  3:pods:*mautoscaling/v2.PodsMetricSource 4:resource:*mautoscaling/v2.ResourceMetricSource
  7:containerResource:*mautoscaling/v2.ContainerResourceMetricSource
  5:external:*mautoscaling/v2.ExternalMetricSource
type autoscaling/v2.MetricStatus 1:type:s 2:object:*mautoscaling/v2.ObjectMetricStatus
  3:pods:*mautoscaling/v2.PodsMetricStatus 4:resource:*mautoscaling/v2.ResourceMetricStatus
  7:containerResource:*mautoscaling/v2.ContainerResourceMetricStatus
  5:external:*mautoscaling/v2.ExternalMetricStatus
type autoscaling/v2.MetricTarget 1:type:s 2:value:*Q 3:averageValue:*Q 4:averageUtilization:*i
type autoscaling/v2.MetricValueStatus 1:value:*Q 2:averageValue:*Q 3:averageUtilization:*i
type autoscaling/v2.ObjectMetricSource
  1:describedObject:mautoscaling/v2.CrossVersionObjectReference
  2:target:mautoscaling/v2.MetricTarget 3:metric:mautoscaling/v2.MetricIdentifier
type autoscaling/v2.ObjectMetricStatus 1:metric:mautoscaling/v2.MetricIdentifier
  2:current:mautoscaling/v2.MetricValueStatus
  3:describedObject:mautoscaling/v2.CrossVersionObjectReference
type autoscaling/v2.PodsMetricSource 1:metric:mautoscaling/v2.MetricIdentifier
  2:target:mautoscaling/v2.MetricTarget
type autoscaling/v2.PodsMetricStatus 1:metric:mautoscaling/v2.MetricIdentifier
  2:current:mautoscaling/v2.MetricValueStatus
type autoscaling/v2.ResourceMetricSource 1:name:s 2:target:mautoscaling/v2.MetricTarget
type autoscaling/v2.ResourceMetricStatus 1:name:s 2:current:mautoscaling/v2.MetricValueStatus
type batch/v1.CronJob 1:metadata:mmeta/v1.ObjectMeta 2:spec:mbatch/v1.CronJobSpec
  3:status:mbatch/v1.CronJobStatus
type batch/v1.CronJobSpec 1:schedule:s 8:timeZone:*s 2:startingDeadlineSeconds:*i
  3:concurrencyPolicy:s 4:suspend:*b 5:jobTemplate:mbatch/v1.JobTemplateSpec
  6:successfulJobsHistoryLimit:*i 7:failedJobsHistoryLimit:*i
type batch/v1.CronJobStatus 1:active:Rmcore/v1.ObjectReference 4:lastScheduleTime:*T
  5:lastSuccessfulTime:*T
type batch/v1.Job 1:metadata:mmeta/v1.ObjectMeta 2:spec:mbatch/v1.JobSpec
  3:status:mbatch/v1.JobStatus
type batch/v1.JobCondition 1:type:s 2:status:s 3:lastProbeTime:T 4:lastTransitionTime:T 5:reason:s
  6:message:s
type batch/v1.JobSpec 1:parallelism:*i 2:completions:*i 3:activeDeadlineSeconds:*i
  11:podFailurePolicy:*mbatch/v1.PodFailurePolicy 16:successPolicy:*mbatch/v1.SuccessPolicy
  7:backoffLimit:*i 12:backoffLimitPerIndex:*i 13:maxFailedIndexes:*i
  4:selector:*mmeta/v1.LabelSelector 5:manualSelector:*b 6:template:mcore/v1.PodTemplateSpec
  8:ttlSecondsAfterFinished:*i 9:completionMode:*s 10:suspend:*b 14:podReplacementPolicy:*s
  15:managedBy:*s
type batch/v1.JobStatus 1:conditions:Rmbatch/v1.JobCondition 2:startTime:*T 3:completionTime:*T
  4:active:i 5:succeeded:i 6:failed:i 11:terminating:*i 7:completedIndexes:s 10:failedIndexes:*s
  8:uncountedTerminatedPods:*mbatch/v1.UncountedTerminatedPods 9:ready:*i
type batch/v1.JobTemplateSpec 1:metadata:mmeta/v1.ObjectMeta 2:spec:mbatch/v1.JobSpec
type batch/v1.PodFailurePolicy 1:rules:Rmbatch/v1.PodFailurePolicyRule
type batch/v1.PodFailurePolicyOnExitCodesRequirement 1:containerName:*s 2:operator:s 3:values:Ri
type batch/v1.PodFailurePolicyOnPodConditionsPattern 1:type:s 2:status:s
type batch/v1.PodFailurePolicyRule 1:action:s
  2:onExitCodes:*mbatch/v1.PodFailurePolicyOnExitCodesRequirement
  3:onPodConditions:Rmbatch/v1.PodFailurePolicyOnPodConditionsPattern
type batch/v1.SuccessPolicy 1:rules:Rmbatch/v1.SuccessPolicyRule
type batch/v1.SuccessPolicyRule 1:succeededIndexes:*s 2:succeededCount:*i
type batch/v1.UncountedTerminatedPods 1:succeeded:Rs 2:failed:Rs
type certificates/v1.CertificateSigningRequest 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mcertificates/v1.CertificateSigningRequestSpec
  3:status:mcertificates/v1.CertificateSigningRequestStatus
type certificates/v1.CertificateSigningRequestCondition 1:type:s 6:status:s 2:reason:s 3:message:s
  4:lastUpdateTime:T 5:lastTransitionTime:T
type certificates/v1.CertificateSigningRequestSpec 1:request:y 7:signerName:s
  8:expirationSeconds:*i 5:usages:Rs 2:username:s 3:uid:s 4:groups:Rs 6:extra:MLs
type certificates/v1.CertificateSigningRequestStatus
  1:conditions:Rmcertificates/v1.CertificateSigningRequestCondition 2:certificate:y
type coordination/v1.Lease 1:metadata:mmeta/v1.ObjectMeta 2:spec:mcoordination/v1.LeaseSpec
type coordination/v1.LeaseSpec 1:holderIdentity:*s 2:leaseDurationSeconds:*i 3:acquireTime:*U
  4:renewTime:*U 5:leaseTransitions:*i 6:strategy:*s 7:preferredHolder:*s
type core/v1.AWSElasticBlockStoreVolumeSource 1:volumeID:s 2:fsType:s 3:partition:i 4:readOnly:b
type core/v1.Affinity 1:nodeAffinity:*mcore/v1.NodeAffinity 2:podAffinity:*mcore/v1.PodAffinity
  3:podAntiAffinity:*mcore/v1.PodAntiAffinity
type core/v1.AppArmorProfile 1:type:s 2:localhostProfile:*s
type core/v1.AttachedVolume 1:name:s 2:devicePath:s
type core/v1.AzureDiskVolumeSource 1:diskName:s 2:diskURI:s 3:cachingMode:*s 4:fsType:*s
  5:readOnly:*b 6:kind:*s
type core/v1.AzureFilePersistentVolumeSource 1:secretName:s 2:shareName:s 3:readOnly:b
  4:secretNamespace:*s
type core/v1.AzureFileVolumeSource 1:secretName:s 2:shareName:s 3:readOnly:b
type core/v1.Binding 1:metadata:mmeta/v1.ObjectMeta 2:target:mcore/v1.ObjectReference
type core/v1.CSIPersistentVolumeSource 1:driver:s 2:volumeHandle:s 3:readOnly:b 4:fsType:s
  5:volumeAttributes:Ms 6:controllerPublishSecretRef:*mcore/v1.SecretReference
  7:nodeStageSecretRef:*mcore/v1.SecretReference 8:nodePublishSecretRef:*mcore/v1.SecretReference
  9:controllerExpandSecretRef:*mcore/v1.SecretReference
  10:nodeExpandSecretRef:*mcore/v1.SecretReference
type core/v1.CSIVolumeSource 1:driver:s 2:readOnly:*b 3:fsType:*s 4:volumeAttributes:Ms
  5:nodePublishSecretRef:*mcore/v1.LocalObjectReference
type core/v1.Capabilities 1:add:Rs 2:drop:Rs
type core/v1.CephFSPersistentVolumeSource 1:monitors:Rs 2:path:s 3:user:s 4:secretFile:s
  5:secretRef:*mcore/v1.SecretReference 6:readOnly:b
type core/v1.CephFSVolumeSource 1:monitors:Rs 2:path:s 3:user:s 4:secretFile:s
  5:secretRef:*mcore/v1.LocalObjectReference 6:readOnly:b
type core/v1.CinderPersistentVolumeSource 1:volumeID:s 2:fsType:s 3:readOnly:b
  4:secretRef:*mcore/v1.SecretReference
type core/v1.CinderVolumeSource 1:volumeID:s 2:fsType:s 3:readOnly:b
  4:secretRef:*mcore/v1.LocalObjectReference
type core/v1.ClientIPConfig 1:timeoutSeconds:*i
type core/v1.ClusterTrustBundleProjection 1:name:*s 2:signerName:*s
  3:labelSelector:*mmeta/v1.LabelSelector 5:optional:*b 4:path:s
type core/v1.ComponentCondition 1:type:s 2:status:s 3:message:s 4:error:s
type core/v1.ComponentStatus 1:metadata:mmeta/v1.ObjectMeta
  2:conditions:Rmcore/v1.ComponentCondition
type core/v1.ConfigMap 1:metadata:mmeta/v1.ObjectMeta 4:immutable:*b 2:data:Ms 3:binaryData:My
type core/v1.ConfigMapEnvSource 1:-:mcore/v1.LocalObjectReference 2:optional:*b
type core/v1.ConfigMapKeySelector 1:-:mcore/v1.LocalObjectReference 2:key:s 3:optional:*b
type core/v1.ConfigMapNodeConfigSource 1:namespace:s 2:name:s 3:uid:s 4:resourceVersion:s
  5:kubeletConfigKey:s
type core/v1.ConfigMapProjection 1:-:mcore/v1.LocalObjectReference 2:items:Rmcore/v1.KeyToPath
  4:optional:*b
type core/v1.ConfigMapVolumeSource 1:-:mcore/v1.LocalObjectReference 2:items:Rmcore/v1.KeyToPath
  3:defaultMode:*i 4:optional:*b
type core/v1.Container 1:name:s 2:image:s 3:command:Rs 4:args:Rs 5:workingDir:s
  6:ports:Rmcore/v1.ContainerPort 19:envFrom:Rmcore/v1.EnvFromSource 7:env:Rmcore/v1.EnvVar
  8:resources:mcore/v1.ResourceRequirements 23:resizePolicy:Rmcore/v1.ContainerResizePolicy
  24:restartPolicy:*s 25:restartPolicyRules:Rmcore/v1.ContainerRestartRule
  9:volumeMounts:Rmcore/v1.VolumeMount 21:volumeDevices:Rmcore/v1.VolumeDevice
  10:livenessProbe:*mcore/v1.Probe 11:readinessProbe:*mcore/v1.Probe
  22:startupProbe:*mcore/v1.Probe 12:lifecycle:*mcore/v1.Lifecycle 13:terminationMessagePath:s
  20:terminationMessagePolicy:s 14:imagePullPolicy:s 15:securityContext:*mcore/v1.SecurityContext
  16:stdin:b 17:stdinOnce:b 18:tty:b
type core/v1.ContainerExtendedResourceRequest 1:containerName:s 2:resourceName:s 3:requestName:s
type core/v1.ContainerImage 1:names:Rs 2:sizeBytes:i
type core/v1.ContainerPort 1:name:s 2:hostPort:i 3:containerPort:i 4:protocol:s 5:hostIP:s
type core/v1.ContainerResizePolicy 1:resourceName:s 2:restartPolicy:s
type core/v1.ContainerRestartRule 1:action:s 2:exitCodes:*mcore/v1.ContainerRestartRuleOnExitCodes
type core/v1.ContainerRestartRuleOnExitCodes 1:operator:s 2:values:Ri
type core/v1.ContainerState 1:waiting:*mcore/v1.ContainerStateWaiting
  2:running:*mcore/v1.ContainerStateRunning 3:terminated:*mcore/v1.ContainerStateTerminated
type core/v1.ContainerStateRunning 1:startedAt:T
type core/v1.ContainerStateTerminated 1:exitCode:i 2:signal:i 3:reason:s 4:message:s 5:startedAt:T
  6:finishedAt:T 7:containerID:s
type core/v1.ContainerStateWaiting 1:reason:s 2:message:s
type core/v1.ContainerStatus 1:name:s 2:state:mcore/v1.ContainerState
  3:lastState:mcore/v1.ContainerState 4:ready:b 5:restartCount:i 6:image:s 7:imageID:s
  8:containerID:s 9:started:*b 10:allocatedResources:MQ
  11:resources:*mcore/v1.ResourceRequirements 12:volumeMounts:Rmcore/v1.VolumeMountStatus
  13:user:*mcore/v1.ContainerUser 14:allocatedResourcesStatus:Rmcore/v1.ResourceStatus
  15:stopSignal:*s
type core/v1.ContainerUser 1:linux:*mcore/v1.LinuxContainerUser
type core/v1.DaemonEndpoint 1:Port:i
type core/v1.DownwardAPIProjection 1:items:Rmcore/v1.DownwardAPIVolumeFile
type core/v1.DownwardAPIVolumeFile 1:path:s 2:fieldRef:*mcore/v1.ObjectFieldSelector
  3:resourceFieldRef:*mcore/v1.ResourceFieldSelector 4:mode:*i
type core/v1.DownwardAPIVolumeSource 1:items:Rmcore/v1.DownwardAPIVolumeFile 2:defaultMode:*i
type core/v1.EmptyDirVolumeSource 1:medium:s 2:sizeLimit:*Q
type core/v1.EndpointAddress 1:ip:s 3:hostname:s 4:nodeName:*s
  2:targetRef:*mcore/v1.ObjectReference
type core/v1.EndpointPort 1:name:s 2:port:i 3:protocol:s 4:appProtocol:*s
type core/v1.EndpointSubset 1:addresses:Rmcore/v1.EndpointAddress
  2:notReadyAddresses:Rmcore/v1.EndpointAddress 3:ports:Rmcore/v1.EndpointPort
type core/v1.Endpoints 1:metadata:mmeta/v1.ObjectMeta 2:subsets:Rmcore/v1.EndpointSubset
type core/v1.EnvFromSource 1:prefix:s 2:configMapRef:*mcore/v1.ConfigMapEnvSource
  3:secretRef:*mcore/v1.SecretEnvSource
type core/v1.EnvVar 1:name:s 2:value:s 3:valueFrom:*mcore/v1.EnvVarSource
type core/v1.EnvVarSource 1:fieldRef:*mcore/v1.ObjectFieldSelector
  2:resourceFieldRef:*mcore/v1.ResourceFieldSelector
  3:configMapKeyRef:*mcore/v1.ConfigMapKeySelector 4:secretKeyRef:*mcore/v1.SecretKeySelector
  5:fileKeyRef:*mcore/v1.FileKeySelector
type core/v1.EphemeralContainer 1:-:mcore/v1.EphemeralContainerCommon 2:targetContainerName:s
type core/v1.EphemeralContainerCommon 1:name:s 2:image:s 3:command:Rs 4:args:Rs 5:workingDir:s
  6:ports:Rmcore/v1.ContainerPort 19:envFrom:Rmcore/v1.EnvFromSource 7:env:Rmcore/v1.EnvVar
  8:resources:mcore/v1.ResourceRequirements 23:resizePolicy:Rmcore/v1.ContainerResizePolicy
  24:restartPolicy:*s 25:restartPolicyRules:Rmcore/v1.ContainerRestartRule
  9:volumeMounts:Rmcore/v1.VolumeMount 21:volumeDevices:Rmcore/v1.VolumeDevice
  10:livenessProbe:*mcore/v1.Probe 11:readinessProbe:*mcore/v1.Probe
  22:startupProbe:*mcore/v1.Probe 12:lifecycle:*mcore/v1.Lifecycle 13:terminationMessagePath:s
  20:terminationMessagePolicy:s 14:imagePullPolicy:s 15:securityContext:*mcore/v1.SecurityContext
  16:stdin:b 17:stdinOnce:b 18:tty:b
type core/v1.EphemeralVolumeSource 1:volumeClaimTemplate:*mcore/v1.PersistentVolumeClaimTemplate
type core/v1.Event 1:metadata:mmeta/v1.ObjectMeta 2:involvedObject:mcore/v1.ObjectReference
  3:reason:s 4:message:s 5:source:mcore/v1.EventSource 6:firstTimestamp:T 7:lastTimestamp:T
  8:count:i 9:type:s 10:eventTime:U 11:series:*mcore/v1.EventSeries 12:action:s
  13:related:*mcore/v1.ObjectReference 14:reportingComponent:s 15:reportingInstance:s
type core/v1.EventSeries 1:count:i 2:lastObservedTime:U
type core/v1.EventSource 1:component:s 2:host:s
type core/v1.ExecAction 1:command:Rs
type core/v1.FCVolumeSource 1:targetWWNs:Rs 2:lun:*i 3:fsType:s 4:readOnly:b 5:wwids:Rs
type core/v1.FileKeySelector 1:volumeName:s 2:path:s 3:key:s 4:optional:*b
type core/v1.FlexPersistentVolumeSource 1:driver:s 2:fsType:s
  3:secretRef:*mcore/v1.SecretReference 4:readOnly:b 5:options:Ms
type core/v1.FlexVolumeSource 1:driver:s 2:fsType:s 3:secretRef:*mcore/v1.LocalObjectReference
  4:readOnly:b 5:options:Ms
type core/v1.FlockerVolumeSource 1:datasetName:s 2:datasetUUID:s
type core/v1.GCEPersistentDiskVolumeSource 1:pdName:s 2:fsType:s 3:partition:i 4:readOnly:b
type core/v1.GRPCAction 1:port:i 2:service:*s
type core/v1.GitRepoVolumeSource 1:repository:s 2:revision:s 3:directory:s
type core/v1.GlusterfsPersistentVolumeSource 1:endpoints:s 2:path:s 3:readOnly:b
  4:endpointsNamespace:*s
type core/v1.GlusterfsVolumeSource 1:endpoints:s 2:path:s 3:readOnly:b
type core/v1.HTTPGetAction 1:path:s 2:port:O 3:host:s 4:scheme:s
  5:httpHeaders:Rmcore/v1.HTTPHeader
type core/v1.HTTPHeader 1:name:s 2:value:s
type core/v1.HostAlias 1:ip:s 2:hostnames:Rs
type core/v1.HostIP 1:ip:s
type core/v1.HostPathVolumeSource 1:path:s 2:type:*s
type core/v1.ISCSIPersistentVolumeSource 1:targetPortal:s 2:iqn:s 3:lun:i 4:iscsiInterface:s
  5:fsType:s 6:readOnly:b 7:portals:Rs 8:chapAuthDiscovery:b 11:chapAuthSession:b
  10:secretRef:*mcore/v1.SecretReference 12:initiatorName:*s
type core/v1.ISCSIVolumeSource 1:targetPortal:s 2:iqn:s 3:lun:i 4:iscsiInterface:s 5:fsType:s
  6:readOnly:b 7:portals:Rs 8:chapAuthDiscovery:b 11:chapAuthSession:b
  10:secretRef:*mcore/v1.LocalObjectReference 12:initiatorName:*s
type core/v1.ImageVolumeSource 1:reference:s 2:pullPolicy:s
type core/v1.KeyToPath 1:key:s 2:path:s 3:mode:*i
type core/v1.Lifecycle 1:postStart:*mcore/v1.LifecycleHandler 2:preStop:*mcore/v1.LifecycleHandler
  3:stopSignal:*s
type core/v1.LifecycleHandler 1:exec:*mcore/v1.ExecAction 2:httpGet:*mcore/v1.HTTPGetAction
  3:tcpSocket:*mcore/v1.TCPSocketAction 4:sleep:*mcore/v1.SleepAction
type core/v1.LimitRange 1:metadata:mmeta/v1.ObjectMeta 2:spec:mcore/v1.LimitRangeSpec
type core/v1.LimitRangeItem 1:type:s 2:max:MQ 3:min:MQ 4:default:MQ 5:defaultRequest:MQ
  6:maxLimitRequestRatio:MQ
type core/v1.LimitRangeSpec 1:limits:Rmcore/v1.LimitRangeItem
type core/v1.LinuxContainerUser 1:uid:i 2:gid:i 3:supplementalGroups:Ri
type core/v1.LoadBalancerIngress 1:ip:s 2:hostname:s 3:ipMode:*s 4:ports:Rmcore/v1.PortStatus
type core/v1.LoadBalancerStatus 1:ingress:Rmcore/v1.LoadBalancerIngress
type core/v1.LocalObjectReference 1:name:s
type core/v1.LocalVolumeSource 1:path:s 2:fsType:*s
type core/v1.ModifyVolumeStatus 1:targetVolumeAttributesClassName:s 2:status:s
type core/v1.NFSVolumeSource 1:server:s 2:path:s 3:readOnly:b
type core/v1.Namespace 1:metadata:mmeta/v1.ObjectMeta 2:spec:mcore/v1.NamespaceSpec
  3:status:mcore/v1.NamespaceStatus
type core/v1.NamespaceCondition 1:type:s 2:status:s 4:lastTransitionTime:T 5:reason:s 6:message:s
type core/v1.NamespaceSpec 1:finalizers:Rs
type core/v1.NamespaceStatus 1:phase:s 2:conditions:Rmcore/v1.NamespaceCondition
type core/v1.Node 1:metadata:mmeta/v1.ObjectMeta 2:spec:mcore/v1.NodeSpec
  3:status:mcore/v1.NodeStatus
type core/v1.NodeAddress 1:type:s 2:address:s
type core/v1.NodeAffinity 1:requiredDuringSchedulingIgnoredDuringExecution:*mcore/v1.NodeSelector
  2:preferredDuringSchedulingIgnoredDuringExecution:Rmcore/v1.PreferredSchedulingTerm
type core/v1.NodeCondition 1:type:s 2:status:s 3:lastHeartbeatTime:T 4:lastTransitionTime:T
  5:reason:s 6:message:s
type core/v1.NodeConfigSource 2:configMap:*mcore/v1.ConfigMapNodeConfigSource
type core/v1.NodeConfigStatus 1:assigned:*mcore/v1.NodeConfigSource
  2:active:*mcore/v1.NodeConfigSource 3:lastKnownGood:*mcore/v1.NodeConfigSource 4:error:s
type core/v1.NodeDaemonEndpoints 1:kubeletEndpoint:mcore/v1.DaemonEndpoint
type core/v1.NodeFeatures 1:supplementalGroupsPolicy:*b
type core/v1.NodeRuntimeHandler 1:name:s 2:features:*mcore/v1.NodeRuntimeHandlerFeatures
type core/v1.NodeRuntimeHandlerFeatures 1:recursiveReadOnlyMounts:*b 2:userNamespaces:*b
type core/v1.NodeSelector 1:nodeSelectorTerms:Rmcore/v1.NodeSelectorTerm
type core/v1.NodeSelectorRequirement 1:key:s 2:operator:s 3:values:Rs
type core/v1.NodeSelectorTerm 1:matchExpressions:Rmcore/v1.NodeSelectorRequirement
  2:matchFields:Rmcore/v1.NodeSelectorRequirement
type core/v1.NodeSpec 1:podCIDR:s 7:podCIDRs:Rs 3:providerID:s 4:unschedulable:b
  5:taints:Rmcore/v1.Taint 6:configSource:*mcore/v1.NodeConfigSource 2:externalID:s
type core/v1.NodeStatus 1:capacity:MQ 2:allocatable:MQ 3:phase:s
  4:conditions:Rmcore/v1.NodeCondition 5:addresses:Rmcore/v1.NodeAddress
  6:daemonEndpoints:mcore/v1.NodeDaemonEndpoints 7:nodeInfo:mcore/v1.NodeSystemInfo
  8:images:Rmcore/v1.ContainerImage 9:volumesInUse:Rs 10:volumesAttached:Rmcore/v1.AttachedVolume
  11:config:*mcore/v1.NodeConfigStatus 12:runtimeHandlers:Rmcore/v1.NodeRuntimeHandler
  13:features:*mcore/v1.NodeFeatures 14:declaredFeatures:Rs
type core/v1.NodeSwapStatus 1:capacity:*i
type core/v1.NodeSystemInfo 1:machineID:s 2:systemUUID:s 3:bootID:s 4:kernelVersion:s 5:osImage:s
  6:containerRuntimeVersion:s 7:kubeletVersion:s 8:kubeProxyVersion:s 9:operatingSystem:s
  10:architecture:s 11:swap:*mcore/v1.NodeSwapStatus
type core/v1.ObjectFieldSelector 1:apiVersion:s 2:fieldPath:s
type core/v1.ObjectReference 1:kind:s 2:namespace:s 3:name:s 4:uid:s 5:apiVersion:s
  6:resourceVersion:s 7:fieldPath:s
type core/v1.PersistentVolume 1:metadata:mmeta/v1.ObjectMeta 2:spec:mcore/v1.PersistentVolumeSpec
  3:status:mcore/v1.PersistentVolumeStatus
type core/v1.PersistentVolumeClaim 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mcore/v1.PersistentVolumeClaimSpec 3:status:mcore/v1.PersistentVolumeClaimStatus
type core/v1.PersistentVolumeClaimCondition 1:type:s 2:status:s 3:lastProbeTime:T
  4:lastTransitionTime:T 5:reason:s 6:message:s
type core/v1.PersistentVolumeClaimSpec 1:accessModes:Rs 4:selector:*mmeta/v1.LabelSelector
  2:resources:mcore/v1.VolumeResourceRequirements 3:volumeName:s 5:storageClassName:*s
  6:volumeMode:*s 7:dataSource:*mcore/v1.TypedLocalObjectReference
  8:dataSourceRef:*mcore/v1.TypedObjectReference 9:volumeAttributesClassName:*s
type core/v1.PersistentVolumeClaimStatus 1:phase:s 2:accessModes:Rs 3:capacity:MQ
  4:conditions:Rmcore/v1.PersistentVolumeClaimCondition 5:allocatedResources:MQ
  7:allocatedResourceStatuses:Ms 8:currentVolumeAttributesClassName:*s
  9:modifyVolumeStatus:*mcore/v1.ModifyVolumeStatus
type core/v1.PersistentVolumeClaimTemplate 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mcore/v1.PersistentVolumeClaimSpec
type core/v1.PersistentVolumeClaimVolumeSource 1:claimName:s 2:readOnly:b
type core/v1.PersistentVolumeSource 1:gcePersistentDisk:*mcore/v1.GCEPersistentDiskVolumeSource
  2:awsElasticBlockStore:*mcore/v1.AWSElasticBlockStoreVolumeSource
  3:hostPath:*mcore/v1.HostPathVolumeSource 4:glusterfs:*mcore/v1.GlusterfsPersistentVolumeSource
  5:nfs:*mcore/v1.NFSVolumeSource 6:rbd:*mcore/v1.RBDPersistentVolumeSource
  7:iscsi:*mcore/v1.ISCSIPersistentVolumeSource 8:cinder:*mcore/v1.CinderPersistentVolumeSource
  9:cephfs:*mcore/v1.CephFSPersistentVolumeSource 10:fc:*mcore/v1.FCVolumeSource
  11:flocker:*mcore/v1.FlockerVolumeSource 12:flexVolume:*mcore/v1.FlexPersistentVolumeSource
  13:azureFile:*mcore/v1.AzureFilePersistentVolumeSource
  14:vsphereVolume:*mcore/v1.VsphereVirtualDiskVolumeSource
  15:quobyte:*mcore/v1.QuobyteVolumeSource 16:azureDisk:*mcore/v1.AzureDiskVolumeSource
  17:photonPersistentDisk:*mcore/v1.PhotonPersistentDiskVolumeSource
  18:portworxVolume:*mcore/v1.PortworxVolumeSource
  19:scaleIO:*mcore/v1.ScaleIOPersistentVolumeSource 20:local:*mcore/v1.LocalVolumeSource
  21:storageos:*mcore/v1.StorageOSPersistentVolumeSource
  22:csi:*mcore/v1.CSIPersistentVolumeSource
type core/v1.PersistentVolumeSpec 1:capacity:MQ 2:-:mcore/v1.PersistentVolumeSource
  3:accessModes:Rs 4:claimRef:*mcore/v1.ObjectReference 5:persistentVolumeReclaimPolicy:s
  6:storageClassName:s 7:mountOptions:Rs 8:volumeMode:*s
  9:nodeAffinity:*mcore/v1.VolumeNodeAffinity 10:volumeAttributesClassName:*s
type core/v1.PersistentVolumeStatus 1:phase:s 2:message:s 3:reason:s 4:lastPhaseTransitionTime:*T
type core/v1.PhotonPersistentDiskVolumeSource 1:pdID:s 2:fsType:s
type core/v1.Pod 1:metadata:mmeta/v1.ObjectMeta 2:spec:mcore/v1.PodSpec
  3:status:mcore/v1.PodStatus
type core/v1.PodAffinity
  1:requiredDuringSchedulingIgnoredDuringExecution:Rmcore/v1.PodAffinityTerm
  2:preferredDuringSchedulingIgnoredDuringExecution:Rmcore/v1.WeightedPodAffinityTerm
type core/v1.PodAffinityTerm 1:labelSelector:*mmeta/v1.LabelSelector 2:namespaces:Rs
  3:topologyKey:s 4:namespaceSelector:*mmeta/v1.LabelSelector 5:matchLabelKeys:Rs
  6:mismatchLabelKeys:Rs
type core/v1.PodAntiAffinity
  1:requiredDuringSchedulingIgnoredDuringExecution:Rmcore/v1.PodAffinityTerm
  2:preferredDuringSchedulingIgnoredDuringExecution:Rmcore/v1.WeightedPodAffinityTerm
type core/v1.PodCertificateProjection 1:signerName:s 2:keyType:s 3:maxExpirationSeconds:*i
  4:credentialBundlePath:s 5:keyPath:s 6:certificateChainPath:s 7:userAnnotations:Ms
type core/v1.PodCondition 1:type:s 7:observedGeneration:i 2:status:s 3:lastProbeTime:T
  4:lastTransitionTime:T 5:reason:s 6:message:s
type core/v1.PodDNSConfig 1:nameservers:Rs 2:searches:Rs 3:options:Rmcore/v1.PodDNSConfigOption
type core/v1.PodDNSConfigOption 1:name:s 2:value:*s
type core/v1.PodExtendedResourceClaimStatus
  1:requestMappings:Rmcore/v1.ContainerExtendedResourceRequest 2:resourceClaimName:s
type core/v1.PodIP 1:ip:s
type core/v1.PodOS 1:name:s
type core/v1.PodReadinessGate 1:conditionType:s
type core/v1.PodResourceClaim 1:name:s 3:resourceClaimName:*s 4:resourceClaimTemplateName:*s
type core/v1.PodResourceClaimStatus 1:name:s 2:resourceClaimName:*s
type core/v1.PodSchedulingGate 1:name:s
type core/v1.PodSecurityContext 1:seLinuxOptions:*mcore/v1.SELinuxOptions
  8:windowsOptions:*mcore/v1.WindowsSecurityContextOptions 2:runAsUser:*i 6:runAsGroup:*i
  3:runAsNonRoot:*b 4:supplementalGroups:Ri 12:supplementalGroupsPolicy:*s 5:fsGroup:*i
  7:sysctls:Rmcore/v1.Sysctl 9:fsGroupChangePolicy:*s 10:seccompProfile:*mcore/v1.SeccompProfile
  11:appArmorProfile:*mcore/v1.AppArmorProfile 13:seLinuxChangePolicy:*s
type core/v1.PodSpec 1:volumes:Rmcore/v1.Volume 20:initContainers:Rmcore/v1.Container
  2:containers:Rmcore/v1.Container 34:ephemeralContainers:Rmcore/v1.EphemeralContainer
  3:restartPolicy:s 4:terminationGracePeriodSeconds:*i 5:activeDeadlineSeconds:*i 6:dnsPolicy:s
  7:nodeSelector:Ms 8:serviceAccountName:s 9:serviceAccount:s 21:automountServiceAccountToken:*b
  10:nodeName:s 11:hostNetwork:b 12:hostPID:b 13:hostIPC:b 27:shareProcessNamespace:*b
  14:securityContext:*mcore/v1.PodSecurityContext
  15:imagePullSecrets:Rmcore/v1.LocalObjectReference 16:hostname:s 17:subdomain:s
  18:affinity:*mcore/v1.Affinity 19:schedulerName:s 22:tolerations:Rmcore/v1.Toleration
  23:hostAliases:Rmcore/v1.HostAlias 24:priorityClassName:s 25:priority:*i
  26:dnsConfig:*mcore/v1.PodDNSConfig 28:readinessGates:Rmcore/v1.PodReadinessGate
  29:runtimeClassName:*s 30:enableServiceLinks:*b 31:preemptionPolicy:*s 32:overhead:MQ
  33:topologySpreadConstraints:Rmcore/v1.TopologySpreadConstraint 35:setHostnameAsFQDN:*b
  36:os:*mcore/v1.PodOS 37:hostUsers:*b 38:schedulingGates:Rmcore/v1.PodSchedulingGate
  39:resourceClaims:Rmcore/v1.PodResourceClaim 40:resources:*mcore/v1.ResourceRequirements
  41:hostnameOverride:*s 42:workloadRef:*mcore/v1.WorkloadReference
type core/v1.PodStatus 17:observedGeneration:i 1:phase:s 2:conditions:Rmcore/v1.PodCondition
  3:message:s 4:reason:s 11:nominatedNodeName:s 5:hostIP:s 16:hostIPs:Rmcore/v1.HostIP 6:podIP:s
  12:podIPs:Rmcore/v1.PodIP 7:startTime:*T 10:initContainerStatuses:Rmcore/v1.ContainerStatus
  8:containerStatuses:Rmcore/v1.ContainerStatus 9:qosClass:s
  13:ephemeralContainerStatuses:Rmcore/v1.ContainerStatus 14:resize:s
  15:resourceClaimStatuses:Rmcore/v1.PodResourceClaimStatus
  18:extendedResourceClaimStatus:*mcore/v1.PodExtendedResourceClaimStatus 19:allocatedResources:MQ
  20:resources:*mcore/v1.ResourceRequirements
type core/v1.PodStatusResult 1:metadata:mmeta/v1.ObjectMeta 2:status:mcore/v1.PodStatus
type core/v1.PodTemplate 1:metadata:mmeta/v1.ObjectMeta 2:template:mcore/v1.PodTemplateSpec
type core/v1.PodTemplateSpec 1:metadata:mmeta/v1.ObjectMeta 2:spec:mcore/v1.PodSpec
type core/v1.PortStatus 1:port:i 2:protocol:s 3:error:*s
type core/v1.PortworxVolumeSource 1:volumeID:s 2:fsType:s 3:readOnly:b
type core/v1.PreferredSchedulingTerm 1:weight:i 2:preference:mcore/v1.NodeSelectorTerm
type core/v1.Probe 1:-:mcore/v1.ProbeHandler 2:initialDelaySeconds:i 3:timeoutSeconds:i
  4:periodSeconds:i 5:successThreshold:i 6:failureThreshold:i 7:terminationGracePeriodSeconds:*i
type core/v1.ProbeHandler 1:exec:*mcore/v1.ExecAction 2:httpGet:*mcore/v1.HTTPGetAction
  3:tcpSocket:*mcore/v1.TCPSocketAction 4:grpc:*mcore/v1.GRPCAction
type core/v1.ProjectedVolumeSource 1:sources:Rmcore/v1.VolumeProjection 2:defaultMode:*i
type core/v1.QuobyteVolumeSource 1:registry:s 2:volume:s 3:readOnly:b 4:user:s 5:group:s
  6:tenant:s
type core/v1.RBDPersistentVolumeSource 1:monitors:Rs 2:image:s 3:fsType:s 4:pool:s 5:user:s
  6:keyring:s 7:secretRef:*mcore/v1.SecretReference 8:readOnly:b
type core/v1.RBDVolumeSource 1:monitors:Rs 2:image:s 3:fsType:s 4:pool:s 5:user:s 6:keyring:s
  7:secretRef:*mcore/v1.LocalObjectReference 8:readOnly:b
type core/v1.RangeAllocation 1:metadata:mmeta/v1.ObjectMeta 2:range:s 3:data:y
type core/v1.ReplicationController 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mcore/v1.ReplicationControllerSpec 3:status:mcore/v1.ReplicationControllerStatus
type core/v1.ReplicationControllerCondition 1:type:s 2:status:s 3:lastTransitionTime:T 4:reason:s
  5:message:s
type core/v1.ReplicationControllerSpec 1:replicas:*i 4:minReadySeconds:i 2:selector:Ms
  3:template:*mcore/v1.PodTemplateSpec
type core/v1.ReplicationControllerStatus 1:replicas:i 2:fullyLabeledReplicas:i 4:readyReplicas:i
  5:availableReplicas:i 3:observedGeneration:i
  6:conditions:Rmcore/v1.ReplicationControllerCondition
type core/v1.ResourceClaim 1:name:s 2:request:s
type core/v1.ResourceFieldSelector 1:containerName:s 2:resource:s 3:divisor:Q
type core/v1.ResourceHealth 1:resourceID:s 2:health:s
type core/v1.ResourceQuota 1:metadata:mmeta/v1.ObjectMeta 2:spec:mcore/v1.ResourceQuotaSpec
  3:status:mcore/v1.ResourceQuotaStatus
type core/v1.ResourceQuotaSpec 1:hard:MQ 2:scopes:Rs 3:scopeSelector:*mcore/v1.ScopeSelector
type core/v1.ResourceQuotaStatus 1:hard:MQ 2:used:MQ
type core/v1.ResourceRequirements 1:limits:MQ 2:requests:MQ 3:claims:Rmcore/v1.ResourceClaim
type core/v1.ResourceStatus 1:name:s 2:resources:Rmcore/v1.ResourceHealth
type core/v1.SELinuxOptions 1:user:s 2:role:s 3:type:s 4:level:s
type core/v1.ScaleIOPersistentVolumeSource 1:gateway:s 2:system:s
  3:secretRef:*mcore/v1.SecretReference 4:sslEnabled:b 5:protectionDomain:s 6:storagePool:s
  7:storageMode:s 8:volumeName:s 9:fsType:s 10:readOnly:b
type core/v1.ScaleIOVolumeSource 1:gateway:s 2:system:s 3:secretRef:*mcore/v1.LocalObjectReference
  4:sslEnabled:b 5:protectionDomain:s 6:storagePool:s 7:storageMode:s 8:volumeName:s 9:fsType:s
  10:readOnly:b
type core/v1.ScopeSelector 1:matchExpressions:Rmcore/v1.ScopedResourceSelectorRequirement
type core/v1.ScopedResourceSelectorRequirement 1:scopeName:s 2:operator:s 3:values:Rs
type core/v1.SeccompProfile 1:type:s 2:localhostProfile:*s
type core/v1.Secret 1:metadata:mmeta/v1.ObjectMeta 5:immutable:*b 2:data:My 4:stringData:Ms
  3:type:s
type core/v1.SecretEnvSource 1:-:mcore/v1.LocalObjectReference 2:optional:*b
type core/v1.SecretKeySelector 1:-:mcore/v1.LocalObjectReference 2:key:s 3:optional:*b
type core/v1.SecretProjection 1:-:mcore/v1.LocalObjectReference 2:items:Rmcore/v1.KeyToPath
  4:optional:*b
type core/v1.SecretReference 1:name:s 2:namespace:s
type core/v1.SecretVolumeSource 1:secretName:s 2:items:Rmcore/v1.KeyToPath 3:defaultMode:*i
  4:optional:*b
type core/v1.SecurityContext 1:capabilities:*mcore/v1.Capabilities 2:privileged:*b
  3:seLinuxOptions:*mcore/v1.SELinuxOptions
  10:windowsOptions:*mcore/v1.WindowsSecurityContextOptions 4:runAsUser:*i 8:runAsGroup:*i
  5:runAsNonRoot:*b 6:readOnlyRootFilesystem:*b 7:allowPrivilegeEscalation:*b 9:procMount:*s
  11:seccompProfile:*mcore/v1.SeccompProfile 12:appArmorProfile:*mcore/v1.AppArmorProfile
type core/v1.SerializedReference 1:reference:mcore/v1.ObjectReference
type core/v1.Service 1:metadata:mmeta/v1.ObjectMeta 2:spec:mcore/v1.ServiceSpec
  3:status:mcore/v1.ServiceStatus
type core/v1.ServiceAccount 1:metadata:mmeta/v1.ObjectMeta 2:secrets:Rmcore/v1.ObjectReference
  3:imagePullSecrets:Rmcore/v1.LocalObjectReference 4:automountServiceAccountToken:*b
type core/v1.ServiceAccountTokenProjection 1:audience:s 2:expirationSeconds:*i 3:path:s
type core/v1.ServicePort 1:name:s 2:protocol:s 6:appProtocol:*s 3:port:i 4:targetPort:O
  5:nodePort:i
type core/v1.ServiceSpec 1:ports:Rmcore/v1.ServicePort 2:selector:Ms 3:clusterIP:s
  18:clusterIPs:Rs 4:type:s 5:externalIPs:Rs 7:sessionAffinity:s 8:loadBalancerIP:s
  9:loadBalancerSourceRanges:Rs 10:externalName:s 11:externalTrafficPolicy:s
  12:healthCheckNodePort:i 13:publishNotReadyAddresses:b
  14:sessionAffinityConfig:*mcore/v1.SessionAffinityConfig 19:ipFamilies:Rs 17:ipFamilyPolicy:*s
  20:allocateLoadBalancerNodePorts:*b 21:loadBalancerClass:*s 22:internalTrafficPolicy:*s
  23:trafficDistribution:*s
type core/v1.ServiceStatus 1:loadBalancer:mcore/v1.LoadBalancerStatus
  2:conditions:Rmmeta/v1.Condition
type core/v1.SessionAffinityConfig 1:clientIP:*mcore/v1.ClientIPConfig
type core/v1.SleepAction 1:seconds:i
type core/v1.StorageOSPersistentVolumeSource 1:volumeName:s 2:volumeNamespace:s 3:fsType:s
  4:readOnly:b 5:secretRef:*mcore/v1.ObjectReference
type core/v1.StorageOSVolumeSource 1:volumeName:s 2:volumeNamespace:s 3:fsType:s 4:readOnly:b
  5:secretRef:*mcore/v1.LocalObjectReference
type core/v1.Sysctl 1:name:s 2:value:s
type core/v1.TCPSocketAction 1:port:O 2:host:s
type core/v1.Taint 1:key:s 2:value:s 3:effect:s 4:timeAdded:*T
type core/v1.Toleration 1:key:s 2:operator:s 3:value:s 4:effect:s 5:tolerationSeconds:*i
type core/v1.TopologySelectorLabelRequirement 1:key:s 2:values:Rs
type core/v1.TopologySelectorTerm
  1:matchLabelExpressions:Rmcore/v1.TopologySelectorLabelRequirement
type core/v1.TopologySpreadConstraint 1:maxSkew:i 2:topologyKey:s 3:whenUnsatisfiable:s
  4:labelSelector:*mmeta/v1.LabelSelector 5:minDomains:*i 6:nodeAffinityPolicy:*s
  7:nodeTaintsPolicy:*s 8:matchLabelKeys:Rs
type core/v1.TypedLocalObjectReference 1:apiGroup:*s 2:kind:s 3:name:s
type core/v1.TypedObjectReference 1:apiGroup:*s 2:kind:s 3:name:s 4:namespace:*s
type core/v1.Volume 1:name:s 2:-:mcore/v1.VolumeSource
type core/v1.VolumeDevice 1:name:s 2:devicePath:s
type core/v1.VolumeMount 1:name:s 2:readOnly:b 7:recursiveReadOnly:*s 3:mountPath:s 4:subPath:s
  5:mountPropagation:*s 6:subPathExpr:s
type core/v1.VolumeMountStatus 1:name:s 2:mountPath:s 3:readOnly:b 4:recursiveReadOnly:*s
type core/v1.VolumeNodeAffinity 1:required:*mcore/v1.NodeSelector
type core/v1.VolumeProjection 1:secret:*mcore/v1.SecretProjection
  2:downwardAPI:*mcore/v1.DownwardAPIProjection 3:configMap:*mcore/v1.ConfigMapProjection
  4:serviceAccountToken:*mcore/v1.ServiceAccountTokenProjection
  5:clusterTrustBundle:*mcore/v1.ClusterTrustBundleProjection
  6:podCertificate:*mcore/v1.PodCertificateProjection
type core/v1.VolumeResourceRequirements 1:limits:MQ 2:requests:MQ
type core/v1.VolumeSource 1:hostPath:*mcore/v1.HostPathVolumeSource
  2:emptyDir:*mcore/v1.EmptyDirVolumeSource
  3:gcePersistentDisk:*mcore/v1.GCEPersistentDiskVolumeSource
  4:awsElasticBlockStore:*mcore/v1.AWSElasticBlockStoreVolumeSource
  5:gitRepo:*mcore/v1.GitRepoVolumeSource 6:secret:*mcore/v1.SecretVolumeSource
  7:nfs:*mcore/v1.NFSVolumeSource 8:iscsi:*mcore/v1.ISCSIVolumeSource
  9:glusterfs:*mcore/v1.GlusterfsVolumeSource
  10:persistentVolumeClaim:*mcore/v1.PersistentVolumeClaimVolumeSource
  11:rbd:*mcore/v1.RBDVolumeSource 12:flexVolume:*mcore/v1.FlexVolumeSource
  13:cinder:*mcore/v1.CinderVolumeSource 14:cephfs:*mcore/v1.CephFSVolumeSource
  15:flocker:*mcore/v1.FlockerVolumeSource 16:downwardAPI:*mcore/v1.DownwardAPIVolumeSource
  17:fc:*mcore/v1.FCVolumeSource 18:azureFile:*mcore/v1.AzureFileVolumeSource
  19:configMap:*mcore/v1.ConfigMapVolumeSource
  20:vsphereVolume:*mcore/v1.VsphereVirtualDiskVolumeSource
  21:quobyte:*mcore/v1.QuobyteVolumeSource 22:azureDisk:*mcore/v1.AzureDiskVolumeSource
  23:photonPersistentDisk:*mcore/v1.PhotonPersistentDiskVolumeSource
  26:projected:*mcore/v1.ProjectedVolumeSource 24:portworxVolume:*mcore/v1.PortworxVolumeSource
  25:scaleIO:*mcore/v1.ScaleIOVolumeSource 27:storageos:*mcore/v1.StorageOSVolumeSource
  28:csi:*mcore/v1.CSIVolumeSource 29:ephemeral:*mcore/v1.EphemeralVolumeSource
  30:image:*mcore/v1.ImageVolumeSource
type core/v1.VsphereVirtualDiskVolumeSource 1:volumePath:s 2:fsType:s 3:storagePolicyName:s
  4:storagePolicyID:s
type core/v1.WeightedPodAffinityTerm 1:weight:i 2:podAffinityTerm:mcore/v1.PodAffinityTerm
type core/v1.WindowsSecurityContextOptions 1:gmsaCredentialSpecName:*s 2:gmsaCredentialSpec:*s
  3:runAsUserName:*s 4:hostProcess:*b
type core/v1.WorkloadReference 1:name:s 2:podGroup:s 3:podGroupReplicaKey:s
type discovery/v1.Endpoint 1:addresses:Rs 2:conditions:mdiscovery/v1.EndpointConditions
  3:hostname:*s 4:targetRef:*mcore/v1.ObjectReference 5:deprecatedTopology:Ms 6:nodeName:*s
  7:zone:*s 8:hints:*mdiscovery/v1.EndpointHints
type discovery/v1.EndpointConditions 1:ready:*b 2:serving:*b 3:terminating:*b
type discovery/v1.EndpointHints 1:forZones:Rmdiscovery/v1.ForZone
  2:forNodes:Rmdiscovery/v1.ForNode
type discovery/v1.EndpointPort 1:name:*s 2:protocol:*s 3:port:*i 4:appProtocol:*s
type discovery/v1.EndpointSlice 1:metadata:mmeta/v1.ObjectMeta 4:addressType:s
  2:endpoints:Rmdiscovery/v1.Endpoint 3:ports:Rmdiscovery/v1.EndpointPort
type discovery/v1.ForNode 1:name:s
type discovery/v1.ForZone 1:name:s
type events/v1.Event 1:metadata:mmeta/v1.ObjectMeta 2:eventTime:U 3:series:*mevents/v1.EventSeries
  4:reportingController:s 5:reportingInstance:s 6:action:s 7:reason:s
  8:regarding:mcore/v1.ObjectReference 9:related:*mcore/v1.ObjectReference 10:note:s 11:type:s
  12:deprecatedSource:mcore/v1.EventSource 13:deprecatedFirstTimestamp:T
  14:deprecatedLastTimestamp:T 15:deprecatedCount:i
type events/v1.EventSeries 1:count:i 2:lastObservedTime:U
type flowcontrol/v1.ExemptPriorityLevelConfiguration 1:nominalConcurrencyShares:*i
  2:lendablePercent:*i
type flowcontrol/v1.FlowDistinguisherMethod 1:type:s
type flowcontrol/v1.FlowSchema 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mflowcontrol/v1.FlowSchemaSpec 3:status:mflowcontrol/v1.FlowSchemaStatus
type flowcontrol/v1.FlowSchemaCondition 1:type:s 2:status:s 3:lastTransitionTime:T 4:reason:s
  5:message:s
type flowcontrol/v1.FlowSchemaSpec
  1:priorityLevelConfiguration:mflowcontrol/v1.PriorityLevelConfigurationReference
  2:matchingPrecedence:i 3:distinguisherMethod:*mflowcontrol/v1.FlowDistinguisherMethod
  4:rules:Rmflowcontrol/v1.PolicyRulesWithSubjects
type flowcontrol/v1.FlowSchemaStatus 1:conditions:Rmflowcontrol/v1.FlowSchemaCondition
type flowcontrol/v1.GroupSubject 1:name:s
type flowcontrol/v1.LimitResponse 1:type:s 2:queuing:*mflowcontrol/v1.QueuingConfiguration
type flowcontrol/v1.LimitedPriorityLevelConfiguration 1:nominalConcurrencyShares:*i
  2:limitResponse:mflowcontrol/v1.LimitResponse 3:lendablePercent:*i 4:borrowingLimitPercent:*i
type flowcontrol/v1.NonResourcePolicyRule 1:verbs:Rs 6:nonResourceURLs:Rs
type flowcontrol/v1.PolicyRulesWithSubjects 1:subjects:Rmflowcontrol/v1.Subject
  2:resourceRules:Rmflowcontrol/v1.ResourcePolicyRule
  3:nonResourceRules:Rmflowcontrol/v1.NonResourcePolicyRule
type flowcontrol/v1.PriorityLevelConfiguration 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mflowcontrol/v1.PriorityLevelConfigurationSpec
  3:status:mflowcontrol/v1.PriorityLevelConfigurationStatus
type flowcontrol/v1.PriorityLevelConfigurationCondition 1:type:s 2:status:s 3:lastTransitionTime:T
  4:reason:s 5:message:s
type flowcontrol/v1.PriorityLevelConfigurationReference 1:name:s
type flowcontrol/v1.PriorityLevelConfigurationSpec 1:type:s
  2:limited:*mflowcontrol/v1.LimitedPriorityLevelConfiguration
  3:exempt:*mflowcontrol/v1.ExemptPriorityLevelConfiguration
type flowcontrol/v1.PriorityLevelConfigurationStatus
  1:conditions:Rmflowcontrol/v1.PriorityLevelConfigurationCondition
type flowcontrol/v1.QueuingConfiguration 1:queues:i 2:handSize:i 3:queueLengthLimit:i
type flowcontrol/v1.ResourcePolicyRule 1:verbs:Rs 2:apiGroups:Rs 3:resources:Rs 4:clusterScope:b
  5:namespaces:Rs
type flowcontrol/v1.ServiceAccountSubject 1:namespace:s 2:name:s
type flowcontrol/v1.Subject 1:kind:s 2:user:*mflowcontrol/v1.UserSubject
  3:group:*mflowcontrol/v1.GroupSubject 4:serviceAccount:*mflowcontrol/v1.ServiceAccountSubject
type flowcontrol/v1.UserSubject 1:name:s
type meta/v1.APIGroup 1:name:s 2:versions:Rmmeta/v1.GroupVersionForDiscovery
  3:preferredVersion:mmeta/v1.GroupVersionForDiscovery
  4:serverAddressByClientCIDRs:Rmmeta/v1.ServerAddressByClientCIDR
type meta/v1.APIGroupList 1:groups:Rmmeta/v1.APIGroup
type meta/v1.APIResource 1:name:s 6:singularName:s 2:namespaced:b 8:group:s 9:version:s 3:kind:s
  4:verbs:Ls 5:shortNames:Rs 7:categories:Rs 10:storageVersionHash:s
type meta/v1.APIResourceList 1:groupVersion:s 2:resources:Rmmeta/v1.APIResource
type meta/v1.APIVersions 1:versions:Rs
  2:serverAddressByClientCIDRs:Rmmeta/v1.ServerAddressByClientCIDR
type meta/v1.Condition 1:type:s 2:status:s 3:observedGeneration:i 4:lastTransitionTime:T
  5:reason:s 6:message:s
type meta/v1.DeleteOptions 1:gracePeriodSeconds:*i 2:preconditions:*mmeta/v1.Preconditions
  3:orphanDependents:*b 4:propagationPolicy:*s 5:dryRun:Rs
  6:ignoreStoreReadErrorWithClusterBreakingPotential:*b
type meta/v1.FieldSelectorRequirement 1:key:s 2:operator:s 3:values:Rs
type meta/v1.GroupVersionForDiscovery 1:groupVersion:s 2:version:s
type meta/v1.LabelSelector 1:matchLabels:Ms 2:matchExpressions:Rmmeta/v1.LabelSelectorRequirement
type meta/v1.LabelSelectorRequirement 1:key:s 2:operator:s 3:values:Rs
type meta/v1.ListMeta 1:selfLink:s 2:resourceVersion:s 3:continue:s 4:remainingItemCount:*i
type meta/v1.ManagedFieldsEntry 1:manager:s 2:operation:s 3:apiVersion:s 4:time:*T 6:fieldsType:s
  7:fieldsV1:*F 8:subresource:s
type meta/v1.ObjectMeta 1:name:s 2:generateName:s 3:namespace:s 4:selfLink:s 5:uid:s
  6:resourceVersion:s 7:generation:i 8:creationTimestamp:T 9:deletionTimestamp:*T
  10:deletionGracePeriodSeconds:*i 11:labels:Ms 12:annotations:Ms
  13:ownerReferences:Rmmeta/v1.OwnerReference 14:finalizers:Rs
  17:managedFields:Rmmeta/v1.ManagedFieldsEntry
type meta/v1.OwnerReference 5:apiVersion:s 1:kind:s 3:name:s 4:uid:s 6:controller:*b
  7:blockOwnerDeletion:*b
type meta/v1.PartialObjectMetadata 1:metadata:mmeta/v1.ObjectMeta
type meta/v1.Preconditions 1:uid:*s 2:resourceVersion:*s
type meta/v1.ServerAddressByClientCIDR 1:clientCIDR:s 2:serverAddress:s
type meta/v1.Status 1:metadata:mmeta/v1.ListMeta 2:status:s 3:message:s 4:reason:s
  5:details:*mmeta/v1.StatusDetails 6:code:i
type meta/v1.StatusCause 1:reason:s 2:message:s 3:field:s
type meta/v1.StatusDetails 1:name:s 2:group:s 3:kind:s 6:uid:s 4:causes:Rmmeta/v1.StatusCause
  5:retryAfterSeconds:i
type networking/v1.HTTPIngressPath 1:path:s 3:pathType:*s 2:backend:mnetworking/v1.IngressBackend
type networking/v1.HTTPIngressRuleValue 1:paths:Rmnetworking/v1.HTTPIngressPath
type networking/v1.IPAddress 1:metadata:mmeta/v1.ObjectMeta 2:spec:mnetworking/v1.IPAddressSpec
type networking/v1.IPAddressSpec 1:parentRef:*mnetworking/v1.ParentReference
type networking/v1.IPBlock 1:cidr:s 2:except:Rs
type networking/v1.Ingress 1:metadata:mmeta/v1.ObjectMeta 2:spec:mnetworking/v1.IngressSpec
  3:status:mnetworking/v1.IngressStatus
type networking/v1.IngressBackend 4:service:*mnetworking/v1.IngressServiceBackend
  3:resource:*mcore/v1.TypedLocalObjectReference
type networking/v1.IngressClass 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mnetworking/v1.IngressClassSpec
type networking/v1.IngressClassParametersReference 1:apiGroup:*s 2:kind:s 3:name:s 4:scope:*s
  5:namespace:*s
type networking/v1.IngressClassSpec 1:controller:s
  2:parameters:*mnetworking/v1.IngressClassParametersReference
type networking/v1.IngressLoadBalancerIngress 1:ip:s 2:hostname:s
  4:ports:Rmnetworking/v1.IngressPortStatus
type networking/v1.IngressLoadBalancerStatus 1:ingress:Rmnetworking/v1.IngressLoadBalancerIngress
type networking/v1.IngressPortStatus 1:port:i 2:protocol:s 3:error:*s
type networking/v1.IngressRule 1:host:s 2:-:mnetworking/v1.IngressRuleValue
type networking/v1.IngressRuleValue 1:http:*mnetworking/v1.HTTPIngressRuleValue
type networking/v1.IngressServiceBackend 1:name:s 2:port:mnetworking/v1.ServiceBackendPort
type networking/v1.IngressSpec 4:ingressClassName:*s
  1:defaultBackend:*mnetworking/v1.IngressBackend 2:tls:Rmnetworking/v1.IngressTLS
  3:rules:Rmnetworking/v1.IngressRule
type networking/v1.IngressStatus 1:loadBalancer:mnetworking/v1.IngressLoadBalancerStatus
type networking/v1.IngressTLS 1:hosts:Rs 2:secretName:s
type networking/v1.NetworkPolicy 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mnetworking/v1.NetworkPolicySpec
type networking/v1.NetworkPolicyEgressRule 1:ports:Rmnetworking/v1.NetworkPolicyPort
  2:to:Rmnetworking/v1.NetworkPolicyPeer
type networking/v1.NetworkPolicyIngressRule 1:ports:Rmnetworking/v1.NetworkPolicyPort
  2:from:Rmnetworking/v1.NetworkPolicyPeer
type networking/v1.NetworkPolicyPeer 1:podSelector:*mmeta/v1.LabelSelector
  2:namespaceSelector:*mmeta/v1.LabelSelector 3:ipBlock:*mnetworking/v1.IPBlock
type networking/v1.NetworkPolicyPort 1:protocol:*s 2:port:*O 3:endPort:*i
type networking/v1.NetworkPolicySpec 1:podSelector:mmeta/v1.LabelSelector
  2:ingress:Rmnetworking/v1.NetworkPolicyIngressRule
  3:egress:Rmnetworking/v1.NetworkPolicyEgressRule 4:policyTypes:Rs
type networking/v1.ParentReference 1:group:s 2:resource:s 3:namespace:s 4:name:s
type networking/v1.ServiceBackendPort 1:name:s 2:number:i
type networking/v1.ServiceCIDR 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mnetworking/v1.ServiceCIDRSpec 3:status:mnetworking/v1.ServiceCIDRStatus
type networking/v1.ServiceCIDRSpec 1:cidrs:Rs
type networking/v1.ServiceCIDRStatus 1:conditions:Rmmeta/v1.Condition
type node/v1.Overhead 1:podFixed:MQ
type node/v1.RuntimeClass 1:metadata:mmeta/v1.ObjectMeta 2:handler:s 3:overhead:*mnode/v1.Overhead
  4:scheduling:*mnode/v1.Scheduling
type node/v1.Scheduling 1:nodeSelector:Ms 2:tolerations:Rmcore/v1.Toleration
type policy/v1.Eviction 1:metadata:mmeta/v1.ObjectMeta 2:deleteOptions:*mmeta/v1.DeleteOptions
type policy/v1.PodDisruptionBudget 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mpolicy/v1.PodDisruptionBudgetSpec 3:status:mpolicy/v1.PodDisruptionBudgetStatus
type policy/v1.PodDisruptionBudgetSpec 1:minAvailable:*O 2:selector:*mmeta/v1.LabelSelector
  3:maxUnavailable:*O 4:unhealthyPodEvictionPolicy:*s
type policy/v1.PodDisruptionBudgetStatus 1:observedGeneration:i 2:disruptedPods:MT
  3:disruptionsAllowed:i 4:currentHealthy:i 5:desiredHealthy:i 6:expectedPods:i
  7:conditions:Rmmeta/v1.Condition
type rbac/v1.AggregationRule 1:clusterRoleSelectors:Rmmeta/v1.LabelSelector
type rbac/v1.ClusterRole 1:metadata:mmeta/v1.ObjectMeta 2:rules:Rmrbac/v1.PolicyRule
  3:aggregationRule:*mrbac/v1.AggregationRule
type rbac/v1.ClusterRoleBinding 1:metadata:mmeta/v1.ObjectMeta 2:subjects:Rmrbac/v1.Subject
  3:roleRef:mrbac/v1.RoleRef
type rbac/v1.PolicyRule 1:verbs:Rs 2:apiGroups:Rs 3:resources:Rs 4:resourceNames:Rs
  5:nonResourceURLs:Rs
type rbac/v1.Role 1:metadata:mmeta/v1.ObjectMeta 2:rules:Rmrbac/v1.PolicyRule
type rbac/v1.RoleBinding 1:metadata:mmeta/v1.ObjectMeta 2:subjects:Rmrbac/v1.Subject
  3:roleRef:mrbac/v1.RoleRef
type rbac/v1.RoleRef 1:apiGroup:s 2:kind:s 3:name:s
type rbac/v1.Subject 1:kind:s 2:apiGroup:s 3:name:s 4:namespace:s
type resource/v1.AllocatedDeviceStatus 1:driver:s 2:pool:s 3:device:s 7:shareID:*s
  4:conditions:Rmmeta/v1.Condition 5:data:*X 6:networkData:*mresource/v1.NetworkDeviceData
type resource/v1.AllocationResult 1:devices:mresource/v1.DeviceAllocationResult
  3:nodeSelector:*mcore/v1.NodeSelector 5:allocationTimestamp:*T
type resource/v1.CELDeviceSelector 1:expression:s
type resource/v1.CapacityRequestPolicy 1:default:*Q 3:validValues:RQ
  4:validRange:*mresource/v1.CapacityRequestPolicyRange
type resource/v1.CapacityRequestPolicyRange 1:min:*Q 2:max:*Q 3:step:*Q
type resource/v1.CapacityRequirements 1:requests:MQ
type resource/v1.Counter 1:value:Q
type resource/v1.CounterSet 1:name:s 2:counters:Mmresource/v1.Counter
type resource/v1.Device 1:name:s 2:attributes:Mmresource/v1.DeviceAttribute
  3:capacity:Mmresource/v1.DeviceCapacity
  4:consumesCounters:Rmresource/v1.DeviceCounterConsumption 5:nodeName:*s
  6:nodeSelector:*mcore/v1.NodeSelector 7:allNodes:*b 8:taints:Rmresource/v1.DeviceTaint
  9:bindsToNode:*b 10:bindingConditions:Rs 11:bindingFailureConditions:Rs
  12:allowMultipleAllocations:*b
type resource/v1.DeviceAllocationConfiguration 1:source:s 2:requests:Rs
  3:-:mresource/v1.DeviceConfiguration
type resource/v1.DeviceAllocationResult 1:results:Rmresource/v1.DeviceRequestAllocationResult
  2:config:Rmresource/v1.DeviceAllocationConfiguration
type resource/v1.DeviceAttribute 2:int:*i 3:bool:*b 4:string:*s 5:version:*s
type resource/v1.DeviceCapacity 1:value:Q 2:requestPolicy:*mresource/v1.CapacityRequestPolicy
type resource/v1.DeviceClaim 1:requests:Rmresource/v1.DeviceRequest
  2:constraints:Rmresource/v1.DeviceConstraint 3:config:Rmresource/v1.DeviceClaimConfiguration
type resource/v1.DeviceClaimConfiguration 1:requests:Rs 2:-:mresource/v1.DeviceConfiguration
type resource/v1.DeviceClass 1:metadata:mmeta/v1.ObjectMeta 2:spec:mresource/v1.DeviceClassSpec
type resource/v1.DeviceClassConfiguration 1:-:mresource/v1.DeviceConfiguration
type resource/v1.DeviceClassSpec 1:selectors:Rmresource/v1.DeviceSelector
  2:config:Rmresource/v1.DeviceClassConfiguration 4:extendedResourceName:*s
type resource/v1.DeviceConfiguration 1:opaque:*mresource/v1.OpaqueDeviceConfiguration
type resource/v1.DeviceConstraint 1:requests:Rs 2:matchAttribute:*s 3:distinctAttribute:*s
type resource/v1.DeviceCounterConsumption 1:counterSet:s 2:counters:Mmresource/v1.Counter
type resource/v1.DeviceRequest 1:name:s 2:exactly:*mresource/v1.ExactDeviceRequest
  3:firstAvailable:Rmresource/v1.DeviceSubRequest
type resource/v1.DeviceRequestAllocationResult 1:request:s 2:driver:s 3:pool:s 4:device:s
  5:adminAccess:*b 6:tolerations:Rmresource/v1.DeviceToleration 7:bindingConditions:Rs
  8:bindingFailureConditions:Rs 9:shareID:*s 10:consumedCapacity:MQ
type resource/v1.DeviceSelector 1:cel:*mresource/v1.CELDeviceSelector
type resource/v1.DeviceSubRequest 1:name:s 2:deviceClassName:s
  3:selectors:Rmresource/v1.DeviceSelector 4:allocationMode:s 5:count:i
  6:tolerations:Rmresource/v1.DeviceToleration 7:capacity:*mresource/v1.CapacityRequirements
type resource/v1.DeviceTaint 1:key:s 2:value:s 3:effect:s 4:timeAdded:*T
type resource/v1.DeviceToleration 1:key:s 2:operator:s 3:value:s 4:effect:s 5:tolerationSeconds:*i
type resource/v1.ExactDeviceRequest 1:deviceClassName:s 2:selectors:Rmresource/v1.DeviceSelector
  3:allocationMode:s 4:count:i 5:adminAccess:*b 6:tolerations:Rmresource/v1.DeviceToleration
  7:capacity:*mresource/v1.CapacityRequirements
type resource/v1.NetworkDeviceData 1:interfaceName:s 2:ips:Rs 3:hardwareAddress:s
type resource/v1.OpaqueDeviceConfiguration 1:driver:s 2:parameters:X
type resource/v1.ResourceClaim 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mresource/v1.ResourceClaimSpec 3:status:mresource/v1.ResourceClaimStatus
type resource/v1.ResourceClaimConsumerReference 1:apiGroup:s 3:resource:s 4:name:s 5:uid:s
type resource/v1.ResourceClaimSpec 1:devices:mresource/v1.DeviceClaim
type resource/v1.ResourceClaimStatus 1:allocation:*mresource/v1.AllocationResult
  2:reservedFor:Rmresource/v1.ResourceClaimConsumerReference
  4:devices:Rmresource/v1.AllocatedDeviceStatus
type resource/v1.ResourceClaimTemplate 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mresource/v1.ResourceClaimTemplateSpec
type resource/v1.ResourceClaimTemplateSpec 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mresource/v1.ResourceClaimSpec
type resource/v1.ResourcePool 1:name:s 2:generation:i 3:resourceSliceCount:i
type resource/v1.ResourceSlice 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mresource/v1.ResourceSliceSpec
type resource/v1.ResourceSliceSpec 1:driver:s 2:pool:mresource/v1.ResourcePool 3:nodeName:*s
  4:nodeSelector:*mcore/v1.NodeSelector 5:allNodes:*b 6:devices:Rmresource/v1.Device
  7:perDeviceNodeSelection:*b 8:sharedCounters:Rmresource/v1.CounterSet
type scheduling/v1.PriorityClass 1:metadata:mmeta/v1.ObjectMeta 2:value:i 3:globalDefault:b
  4:description:s 5:preemptionPolicy:*s
type scheduling/v1alpha1.BasicSchedulingPolicy
type scheduling/v1alpha1.GangSchedulingPolicy 1:minCount:i
type scheduling/v1alpha1.PodGroup 1:name:s 3:policy:mscheduling/v1alpha1.PodGroupPolicy
type scheduling/v1alpha1.PodGroupPolicy 2:basic:*mscheduling/v1alpha1.BasicSchedulingPolicy
  3:gang:*mscheduling/v1alpha1.GangSchedulingPolicy
type scheduling/v1alpha1.PriorityClass 1:metadata:mmeta/v1.ObjectMeta 2:value:i 3:globalDefault:b
  4:description:s 5:preemptionPolicy:*s
type scheduling/v1alpha1.TypedLocalObjectReference 1:apiGroup:s 2:kind:s 3:name:s
type scheduling/v1alpha1.Workload 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mscheduling/v1alpha1.WorkloadSpec
type scheduling/v1alpha1.WorkloadSpec
  1:controllerRef:*mscheduling/v1alpha1.TypedLocalObjectReference
  2:podGroups:Rmscheduling/v1alpha1.PodGroup
type storage/v1.CSIDriver 1:metadata:mmeta/v1.ObjectMeta 2:spec:mstorage/v1.CSIDriverSpec
type storage/v1.CSIDriverSpec 1:attachRequired:*b 2:podInfoOnMount:*b 3:volumeLifecycleModes:Rs
  4:storageCapacity:*b 5:fsGroupPolicy:*s 6:tokenRequests:Rmstorage/v1.TokenRequest
  7:requiresRepublish:*b 8:seLinuxMount:*b 9:nodeAllocatableUpdatePeriodSeconds:*i
  10:serviceAccountTokenInSecrets:*b
type storage/v1.CSINode 1:metadata:mmeta/v1.ObjectMeta 2:spec:mstorage/v1.CSINodeSpec
type storage/v1.CSINodeDriver 1:name:s 2:nodeID:s 3:topologyKeys:Rs
  4:allocatable:*mstorage/v1.VolumeNodeResources
type storage/v1.CSINodeSpec 1:drivers:Rmstorage/v1.CSINodeDriver
type storage/v1.CSIStorageCapacity 1:metadata:mmeta/v1.ObjectMeta
  2:nodeTopology:*mmeta/v1.LabelSelector 3:storageClassName:s 4:capacity:*Q 5:maximumVolumeSize:*Q
type storage/v1.StorageClass 1:metadata:mmeta/v1.ObjectMeta 2:provisioner:s 3:parameters:Ms
  4:reclaimPolicy:*s 5:mountOptions:Rs 6:allowVolumeExpansion:*b 7:volumeBindingMode:*s
  8:allowedTopologies:Rmcore/v1.TopologySelectorTerm
type storage/v1.TokenRequest 1:audience:s 2:expirationSeconds:*i
type storage/v1.VolumeAttachment 1:metadata:mmeta/v1.ObjectMeta
  2:spec:mstorage/v1.VolumeAttachmentSpec 3:status:mstorage/v1.VolumeAttachmentStatus
type storage/v1.VolumeAttachmentSource 1:persistentVolumeName:*s
  2:inlineVolumeSpec:*mcore/v1.PersistentVolumeSpec
type storage/v1.VolumeAttachmentSpec 1:attacher:s 2:source:mstorage/v1.VolumeAttachmentSource
  3:nodeName:s
type storage/v1.VolumeAttachmentStatus 1:attached:b 2:attachmentMetadata:Ms
  3:attachError:*mstorage/v1.VolumeError 4:detachError:*mstorage/v1.VolumeError
type storage/v1.VolumeAttributesClass 1:metadata:mmeta/v1.ObjectMeta 2:driverName:s
  3:parameters:Ms
type storage/v1.VolumeError 1:time:T 2:message:s 3:errorCode:*i
type storage/v1.VolumeNodeResources 1:count:*i
)table";
}

}  // namespace coppice::server
