#include "server/kinds/builtin.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "api/schema/builtin.h"
#include "api/schema/decode.h"
#include "server/kinds/checks/kinds.h"

namespace coppice::server {
namespace {

using MakeRules = std::shared_ptr<const KindRules> (*)();

struct Row {
  const char* group;
  const char* version;
  const char* plural;
  const char* kind;
  bool namespaced;
  const char* singular;
  std::vector<std::string> short_names;
  bool has_status;
  MakeRules rules;
  std::vector<std::string> subresources = {};
  bool in_all = false;  // Shown by `kubectl get all`.
  Verbs verbs = AllVerbs();
  const char* deprecation = "";
};

const std::vector<Row>& Rows() {
  // One row per line as far as it fits.
  // clang-format off
  static const std::vector<Row> rows = {
      {"", "v1", "pods", "Pod", true, "pod", {"po"}, true, PodRules,
       {"binding", "eviction", "log", "exec", "attach", "portforward", "proxy",
        "ephemeralcontainers", "resize"}, true},
      {"", "v1", "nodes", "Node", false, "node", {"no"}, true, NodeRules, {"proxy"}},
      {"", "v1", "namespaces", "Namespace", false, "namespace", {"ns"}, true, NamespaceRules,
       {"finalize"}, false, {"create", "delete", "get", "list", "patch", "update", "watch"}},
      {"", "v1", "services", "Service", true, "service", {"svc"}, true, ServiceRules, {"proxy"}, true},
      {"", "v1", "endpoints", "Endpoints", true, "endpoints", {"ep"}, false,
       EndpointsRules, {}, false, AllVerbs(),
       "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"},
      {"", "v1", "configmaps", "ConfigMap", true, "configmap", {"cm"}, false, ConfigMapRules},
      {"", "v1", "secrets", "Secret", true, "secret", {}, false, SecretRules},
      {"", "v1", "serviceaccounts", "ServiceAccount", true, "serviceaccount", {"sa"}, false,
       PlainRules, {"token"}},
      {"", "v1", "events", "Event", true, "event", {"ev"}, false, EventRules},
      {"", "v1", "persistentvolumes", "PersistentVolume", false, "persistentvolume", {"pv"}, true,
       VolumeRules},
      {"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true, "persistentvolumeclaim",
       {"pvc"}, true, ClaimRules},
      {"", "v1", "replicationcontrollers", "ReplicationController", true, "replicationcontroller",
       {"rc"}, true, ReplicationControllerRules, {}, true},
      {"", "v1", "resourcequotas", "ResourceQuota", true, "resourcequota", {"quota"}, true,
       QuotaRules},
      {"", "v1", "limitranges", "LimitRange", true, "limitrange", {"limits"}, false, LimitRangeRules},
      {"", "v1", "podtemplates", "PodTemplate", true, "podtemplate", {}, false, PodTemplateRules},
      {"apps", "v1", "deployments", "Deployment", true, "deployment", {"deploy"}, true,
       DeploymentRules, {}, true},
      {"apps", "v1", "replicasets", "ReplicaSet", true, "replicaset", {"rs"}, true,
       ReplicaSetRules, {}, true},
      {"apps", "v1", "statefulsets", "StatefulSet", true, "statefulset", {"sts"}, true,
       StatefulSetRules, {}, true},
      {"apps", "v1", "daemonsets", "DaemonSet", true, "daemonset", {"ds"}, true, DaemonSetRules,
       {}, true},
      {"apps", "v1", "controllerrevisions", "ControllerRevision", true, "controllerrevision", {},
       false, PlainRules},
      {"batch", "v1", "jobs", "Job", true, "job", {}, true, JobRules, {}, true},
      {"batch", "v1", "cronjobs", "CronJob", true, "cronjob", {"cj"}, true, CronJobRules, {},
       true},
      {"autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true,
       "horizontalpodautoscaler", {"hpa"}, true, AutoscalerRules, {}, true},
      {"autoscaling", "v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true,
       "horizontalpodautoscaler", {"hpa"}, true, AutoscalerRules, {}, true},
      {"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true, "poddisruptionbudget",
       {"pdb"}, true, BudgetRules},
      {"coordination.k8s.io", "v1", "leases", "Lease", true, "lease", {}, false, LeaseRules},
      {"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", true, "endpointslice", {},
       false, EndpointSliceRules},
      {"networking.k8s.io", "v1", "ingresses", "Ingress", true, "ingress", {"ing"}, true,
       GenerationRules},
      {"networking.k8s.io", "v1", "ingressclasses", "IngressClass", false, "ingressclass", {},
       false, GenerationRules},
      {"networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", true, "networkpolicy",
       {"netpol"}, false, GenerationRules},
      {"scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", false, "priorityclass",
       {"pc"}, false, PriorityClassRules},
      {"node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", false, "runtimeclass", {}, false,
       RuntimeClassRules},
      {"rbac.authorization.k8s.io", "v1", "roles", "Role", true, "role", {}, false, RbacRules},
      {"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", true, "rolebinding", {},
       false, RbacRules},
      {"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false, "clusterrole", {},
       false, RbacRules},
      {"rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", false,
       "clusterrolebinding", {}, false, RbacRules},
      {"storage.k8s.io", "v1", "storageclasses", "StorageClass", false, "storageclass", {"sc"},
       false, StorageClassRules},
      {"storage.k8s.io", "v1", "csinodes", "CSINode", false, "csinode", {}, false, CsiNodeRules},
      {"storage.k8s.io", "v1", "csidrivers", "CSIDriver", false, "csidriver", {}, false,
       CsiDriverRules},
      {"storage.k8s.io", "v1", "csistoragecapacities", "CSIStorageCapacity", true,
       "csistoragecapacity", {}, false, CsiCapacityRules},
      {"storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", false, "volumeattachment",
       {}, true, PlainRules},
      {"storage.k8s.io", "v1", "volumeattributesclasses", "VolumeAttributesClass", false,
       "volumeattributesclass", {"vac"}, false, PlainRules},
      {"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim", true, "resourceclaim", {}, true,
       ResourceClaimRules},
      {"resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate", true,
       "resourceclaimtemplate", {}, false, ResourceClaimTemplateRules},
      {"resource.k8s.io", "v1", "resourceslices", "ResourceSlice", false, "resourceslice", {},
       false, ResourceSliceRules},
      {"resource.k8s.io", "v1", "deviceclasses", "DeviceClass", false, "deviceclass", {}, false,
       DeviceClassRules},
      {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition",
       false, "customresourcedefinition", {"crd", "crds"}, true, CrdRules},
      {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
       "MutatingWebhookConfiguration", false, "mutatingwebhookconfiguration", {}, false,
       MutatingWebhookRules},
      {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
       "ValidatingWebhookConfiguration", false, "validatingwebhookconfiguration", {}, false,
       ValidatingWebhookRules},
      {"admissionregistration.k8s.io", "v1", "validatingadmissionpolicies",
       "ValidatingAdmissionPolicy", false, "validatingadmissionpolicy", {}, true,
       ValidatingPolicyRules},
      {"admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings",
       "ValidatingAdmissionPolicyBinding", false, "validatingadmissionpolicybinding", {}, false,
       PolicyBindingRules},
      {"apiregistration.k8s.io", "v1", "apiservices", "APIService", false, "apiservice", {}, true,
       PlainRules},
      {"certificates.k8s.io", "v1", "certificatesigningrequests", "CertificateSigningRequest",
       false, "certificatesigningrequest", {"csr"}, true, CertificateRules, {"approval"}},
      {"flowcontrol.apiserver.k8s.io", "v1", "flowschemas", "FlowSchema", false, "flowschema", {},
       true, GenerationRules},
      {"flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations",
       "PriorityLevelConfiguration", false, "prioritylevelconfiguration", {}, true,
       GenerationRules},
      {"events.k8s.io", "v1", "events", "Event", true, "event", {"ev"}, false, NewEventRules},
      {"authentication.k8s.io", "v1", "tokenreviews", "TokenReview", false, "tokenreview", {},
       false, PlainRules, {}, false, {"create"}},
      {"authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview", false,
       "selfsubjectreview", {}, false, PlainRules, {}, false, {"create"}},
      {"authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", false,
       "subjectaccessreview", {}, false, PlainRules, {}, false, {"create"}},
      {"authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", false,
       "selfsubjectaccessreview", {}, false, PlainRules, {}, false, {"create"}},
      {"authorization.k8s.io", "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", false,
       "selfsubjectrulesreview", {}, false, PlainRules, {}, false, {"create"}},
      {"authorization.k8s.io", "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview", true,
       "localsubjectaccessreview", {}, false, PlainRules, {}, false, {"create"}},
  };
  // clang-format on
  return rows;
}

// The Workload API, which each release serves in other versions.
std::vector<Row> WorkloadRows(std::string_view release) {
  const auto row = [](const char* version, const char* plural, const char* kind,
                      const char* singular, bool has_status) {
    return Row{"scheduling.k8s.io",
               version,
               plural,
               kind,
               true,
               singular,
               {},
               has_status,
               kind == std::string_view("Workload") ? WorkloadRules : PodGroupRules};
  };
  if (release == "1.35") return {row("v1alpha1", "workloads", "Workload", "workload", false)};
  if (release == "1.36") {
    return {row("v1alpha2", "workloads", "Workload", "workload", false),
            row("v1alpha2", "podgroups", "PodGroup", "podgroup", true)};
  }
  return {row("v1beta1", "workloads", "Workload", "workload", false),
          row("v1beta1", "podgroups", "PodGroup", "podgroup", true),
          row("v1alpha3", "workloads", "Workload", "workload", false),
          row("v1alpha3", "podgroups", "PodGroup", "podgroup", true),
          row("v1alpha3", "compositepodgroups", "CompositePodGroup", "compositepodgroup", true)};
}

std::shared_ptr<const ScalePaths> ScaleFor(std::string_view plural) {
  if (plural != "deployments" && plural != "replicasets" && plural != "statefulsets" &&
      plural != "replicationcontrollers") {
    return nullptr;
  }
  return std::make_shared<ScalePaths>(
      ScalePaths{".spec.replicas", ".status.replicas", ".spec.selector"});
}

bool ReturnsDeleted(const Row& row) {
  static const std::set<std::string_view> kinds = {
      "ResourceQuota",  "PersistentVolume", "PersistentVolumeClaim",
      "ServiceAccount", "Namespace",        "Pod",
      "Service",        "PodTemplate"};
  const std::string_view group = row.group;
  if (group == "resource.k8s.io") return true;
  if (group == "storage.k8s.io") return std::string_view(row.kind) != "CSIStorageCapacity";
  return group.empty() && kinds.contains(row.kind);
}

ServedResource Describe(const Row& row, const api::BuiltinTypes& types) {
  ServedResource served;
  served.resource = {row.group, row.version, row.plural, row.kind, row.namespaced};
  served.storage = std::string(row.group) + "/" + row.plural;
  served.storage_version = served.resource.ApiVersion();
  if (served.storage_version == "scheduling.k8s.io/v1alpha3" &&
      std::string_view(row.plural) != "compositepodgroups") {
    served.storage_version = "scheduling.k8s.io/v1beta1";
  }
  if (served.storage_version == "autoscaling/v1") served.storage_version = "autoscaling/v2";
  if (served.resource.group == "events.k8s.io") {
    served.storage = "/events";
    served.storage_version = "v1";
  }
  served.singular = row.singular;
  served.list_kind = std::string(row.kind) + "List";
  served.short_names = row.short_names;
  if (row.in_all) served.categories = {"all"};
  served.has_status = row.has_status;
  served.subresources = row.subresources;
  served.verbs = row.verbs;
  served.deprecation = row.deprecation;
  served.scale = ScaleFor(row.plural);
  served.rules = row.rules();
  served.schema = types.FindKind(served.resource.ApiVersion(), row.kind);
  const api::Schema* stored = types.FindKind(served.storage_version, row.kind);
  if (served.has_status && stored) {
    const auto empty = api::DecodeBuiltin(*stored, json::Value::Object());
    if (empty) served.empty_status = (*empty)["status"];
  }
  served.returns_deleted = ReturnsDeleted(row);
  return served;
}

}  // namespace

bool IsBuiltin(std::string_view group, std::string_view plural_or_kind) {
  const auto is = [&](const Row& row) {
    return row.group == group && (row.plural == plural_or_kind || row.kind == plural_or_kind);
  };
  return std::ranges::any_of(Rows(), is) || std::ranges::any_of(WorkloadRows("1.36"), is) ||
         std::ranges::any_of(WorkloadRows("1.37"), is);
}

int MinorRelease(std::string_view release) {
  int minor = api::BuiltinTypes::kOldest;
  const std::string_view digits = release.substr(std::min(release.find('.') + 1, release.size()));
  std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  return minor;
}

void AddBuiltinKinds(std::string_view kubernetes_version, Registry& registry) {
  const api::BuiltinTypes& types = api::BuiltinTypes::For(MinorRelease(kubernetes_version));
  for (const Row& row : Rows()) registry.Add(Describe(row, types));
  for (const Row& row : WorkloadRows(kubernetes_version)) registry.Add(Describe(row, types));
}

}  // namespace coppice::server
