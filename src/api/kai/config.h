#pragma once

#include <boost/describe/class.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "json/value.h"

// KAI's Config: what the platform operator deploys and how. Every field is optional; the defaults
// are in services/platform/model/config_defaults.h. Integers without a format are json::Value.
namespace coppice::api::kai {

struct ConfigImage {
  std::string name;
  std::string repository;
  std::string tag;
  std::string pullPolicy;
};
BOOST_DESCRIBE_STRUCT(ConfigImage, (), (name, repository, tag, pullPolicy))

struct ConfigClient {
  json::Value qps;    // view: int64
  json::Value burst;  // view: int64
};
BOOST_DESCRIBE_STRUCT(ConfigClient, (), (qps, burst))

struct ConfigDisruption {
  std::optional<bool> enabled;
  std::optional<int32_t> maxUnavailable;
};
BOOST_DESCRIBE_STRUCT(ConfigDisruption, (), (enabled, maxUnavailable))

// What every deployed service has.
struct ConfigService {
  std::optional<bool> enabled;
  std::optional<ConfigImage> image;
  json::Value resources;  // view: core/v1.ResourceRequirements
  json::Value affinity;   // view: core/v1.Affinity
  std::optional<ConfigClient> k8sClientConfig;
  std::optional<ConfigDisruption> podDisruptionBudget;
};
BOOST_DESCRIBE_STRUCT(ConfigService, (),
                      (enabled, image, resources, affinity, k8sClientConfig, podDisruptionBudget))

struct VpaContainerPolicy {
  std::string containerName;
  std::string mode;
  std::string controlledValues;
  std::vector<std::string> controlledResources;
  std::map<std::string, base::Quantity> minAllowed;
  std::map<std::string, base::Quantity> maxAllowed;
};
BOOST_DESCRIBE_STRUCT(VpaContainerPolicy, (),
                      (containerName, mode, controlledValues, controlledResources, minAllowed,
                       maxAllowed))

struct VpaResourcePolicy {
  std::vector<VpaContainerPolicy> containerPolicies;
};
BOOST_DESCRIBE_STRUCT(VpaResourcePolicy, (), (containerPolicies))

struct VpaEvictionRequirement {
  std::string changeRequirement;
  std::vector<std::string> resources;
};
BOOST_DESCRIBE_STRUCT(VpaEvictionRequirement, (), (changeRequirement, resources))

struct VpaUpdatePolicy {
  std::string updateMode;
  std::optional<int32_t> minReplicas;
  std::vector<VpaEvictionRequirement> evictionRequirements;
};
BOOST_DESCRIBE_STRUCT(VpaUpdatePolicy, (), (updateMode, minReplicas, evictionRequirements))

struct ConfigVpa {
  std::optional<bool> enabled;
  std::optional<VpaResourcePolicy> resourcePolicy;
  std::optional<VpaUpdatePolicy> updatePolicy;
};
BOOST_DESCRIBE_STRUCT(ConfigVpa, (), (enabled, resourcePolicy, updatePolicy))

struct ConfigGlobal {
  json::Value affinity;  // view: core/v1.Affinity
  std::vector<std::string> additionalImagePullSecrets;
  std::vector<json::Value> daemonsetsTolerations;
  std::string imagesPullSecret;
  std::optional<bool> jsonLog;
  std::map<std::string, std::string> namespaceLabelSelector;
  std::string nodePoolLabelKey;
  std::map<std::string, std::string> nodeSelector;
  std::optional<bool> openshift;
  std::map<std::string, std::string> podLabelSelector;
  std::string priorityClassName;
  std::string queueLabelKey;
  std::optional<int32_t> replicaCount;
  std::optional<bool> requireDefaultPodAntiAffinityTerm;
  std::string schedulerName;
  json::Value securityContext;        // view: core/v1.SecurityContext
  std::optional<bool> singleProcess;  // Ours: one Deployment that runs every service.
  std::vector<json::Value> tolerations;
  std::optional<ConfigVpa> vpa;
};
BOOST_DESCRIBE_STRUCT(ConfigGlobal, (),
                      (affinity, additionalImagePullSecrets, daemonsetsTolerations,
                       imagesPullSecret, jsonLog, namespaceLabelSelector, nodePoolLabelKey,
                       nodeSelector, openshift, podLabelSelector, priorityClassName, queueLabelKey,
                       replicaCount, requireDefaultPodAntiAffinityTerm, schedulerName,
                       securityContext, singleProcess, tolerations, vpa))

struct AdmissionWebhook {
  json::Value port;         // view: int64
  json::Value targetPort;   // view: int64
  json::Value probePort;    // view: int64
  json::Value metricsPort;  // view: int64
};
BOOST_DESCRIBE_STRUCT(AdmissionWebhook, (), (port, targetPort, probePort, metricsPort))

struct AdmissionConfig {
  std::optional<ConfigService> service;
  std::optional<AdmissionWebhook> webhook;
  std::optional<int32_t> replicas;
  std::optional<bool> gpuSharing;
  std::optional<bool> blockNvidiaVisibleDevices;
  std::optional<bool> queueLabelSelector;
  std::string gpuFractionRuntimeClassName;
  std::string gpuPodRuntimeClassName;
  std::string mutatingWebhookConfigurationName;
  std::string validatingWebhookConfigurationName;
  std::optional<ConfigVpa> vpa;
};
BOOST_DESCRIBE_STRUCT(AdmissionConfig, (),
                      (service, webhook, replicas, gpuSharing, blockNvidiaVisibleDevices,
                       queueLabelSelector, gpuFractionRuntimeClassName, gpuPodRuntimeClassName,
                       mutatingWebhookConfigurationName, validatingWebhookConfigurationName, vpa))

struct BinderPlugin {
  std::optional<bool> enabled;
  json::Value priority;  // view: int64
  std::map<std::string, std::string> arguments;
};
BOOST_DESCRIBE_STRUCT(BinderPlugin, (), (enabled, priority, arguments))

struct ReservationConfig {
  std::optional<ConfigImage> image;
  std::string namespace_;
  std::string serviceAccountName;
  std::string appLabel;
  std::string runtimeClassName;
  json::Value allocationTimeout;                    // view: int64
  json::Value podResources;                         // view: core/v1.ResourceRequirements
  json::Value reservationPodSecurityContext;        // view: core/v1.PodSecurityContext
  json::Value reservationContainerSecurityContext;  // view: core/v1.SecurityContext
};
BOOST_DESCRIBE_STRUCT(ReservationConfig, (),
                      (image, namespace_, serviceAccountName, appLabel, runtimeClassName,
                       allocationTimeout, podResources, reservationPodSecurityContext,
                       reservationContainerSecurityContext))

struct BinderConfig {
  std::optional<ConfigService> service;
  std::optional<ReservationConfig> resourceReservation;
  std::optional<int32_t> replicas;
  json::Value maxConcurrentReconciles;      // view: int64
  json::Value volumeBindingTimeoutSeconds;  // view: int64
  json::Value probePort;                    // view: int64
  json::Value metricsPort;                  // view: int64
  std::optional<bool> cdiEnabled;
  std::map<std::string, BinderPlugin> plugins;
  std::optional<ConfigVpa> vpa;
};
BOOST_DESCRIBE_STRUCT(BinderConfig, (),
                      (service, resourceReservation, replicas, maxConcurrentReconciles,
                       volumeBindingTimeoutSeconds, probePort, metricsPort, cdiEnabled, plugins,
                       vpa))

struct ConfigPort {
  std::string name;
  json::Value port;        // view: int64
  json::Value targetPort;  // view: int64
};
BOOST_DESCRIBE_STRUCT(ConfigPort, (), (name, port, targetPort))

struct ConfigWebhooks {
  std::optional<bool> enableValidation;
  std::string webhookConfigurationNamePrefix;
};
BOOST_DESCRIBE_STRUCT(ConfigWebhooks, (), (enableValidation, webhookConfigurationNamePrefix))

struct PodGroupPorts {
  std::optional<ConfigPort> webhook;
};
BOOST_DESCRIBE_STRUCT(PodGroupPorts, (), (webhook))

struct PodGroupControllerConfig {
  std::optional<ConfigService> service;
  std::optional<PodGroupPorts> controllerService;
  std::optional<ConfigWebhooks> webhooks;
  std::optional<int32_t> replicas;
  json::Value maxConcurrentReconciles;  // view: int64
  std::optional<ConfigVpa> vpa;
};
BOOST_DESCRIBE_STRUCT(PodGroupControllerConfig, (),
                      (service, controllerService, webhooks, replicas, maxConcurrentReconciles,
                       vpa))

struct QueuePorts {
  std::optional<ConfigPort> metrics;
  std::optional<ConfigPort> webhook;
};
BOOST_DESCRIBE_STRUCT(QueuePorts, (), (metrics, webhook))

struct QueueControllerConfig {
  std::optional<ConfigService> service;
  std::optional<QueuePorts> controllerService;
  std::optional<ConfigWebhooks> webhooks;
  std::optional<int32_t> replicas;
  std::string metricsNamespace;
  std::string queueLabelToMetricLabel;
  std::string queueLabelToDefaultMetricValue;
  std::optional<ConfigVpa> vpa;
};
BOOST_DESCRIBE_STRUCT(QueueControllerConfig, (),
                      (service, controllerService, webhooks, replicas, metricsNamespace,
                       queueLabelToMetricLabel, queueLabelToDefaultMetricValue, vpa))

struct PodGrouperArgs {
  std::optional<bool> gangScheduleKnative;
  std::optional<bool> genericKartaFallback;
  std::string defaultPrioritiesConfigMapName;
  std::string defaultPrioritiesConfigMapNamespace;
};
BOOST_DESCRIBE_STRUCT(PodGrouperArgs, (),
                      (gangScheduleKnative, genericKartaFallback, defaultPrioritiesConfigMapName,
                       defaultPrioritiesConfigMapNamespace))

struct PodGrouperConfig {
  std::optional<ConfigService> service;
  std::optional<PodGrouperArgs> args;
  std::optional<ConfigClient> k8sClientConfig;
  std::optional<int32_t> replicas;
  json::Value maxConcurrentReconciles;  // view: int64
  std::optional<ConfigVpa> vpa;
};
BOOST_DESCRIBE_STRUCT(PodGrouperConfig, (),
                      (service, args, k8sClientConfig, replicas, maxConcurrentReconciles, vpa))

struct ScaleAdjusterArgs {
  std::optional<ConfigImage> scalingPodImage;
  std::string nodeScaleNamespace;
  std::string nodeScaleServiceAccount;
  std::optional<double> gpuMemoryToFractionRatio;
};
BOOST_DESCRIBE_STRUCT(ScaleAdjusterArgs, (),
                      (scalingPodImage, nodeScaleNamespace, nodeScaleServiceAccount,
                       gpuMemoryToFractionRatio))

struct ScaleAdjusterConfig {
  std::optional<ConfigService> service;
  std::optional<ScaleAdjusterArgs> args;
  std::optional<ConfigVpa> vpa;
};
BOOST_DESCRIBE_STRUCT(ScaleAdjusterConfig, (), (service, args, vpa))

struct NumaExporterConfig {
  std::optional<ConfigService> service;
  std::map<std::string, std::string> nodeSelector;
  std::vector<json::Value> tolerations;
  std::string pollInterval;
  std::string driftResyncInterval;
  std::string podResourcesHostPath;
  std::string podResourcesSocket;
  std::string sysfsHostPath;
};
BOOST_DESCRIBE_STRUCT(NumaExporterConfig, (),
                      (service, nodeSelector, tolerations, pollInterval, driftResyncInterval,
                       podResourcesHostPath, podResourcesSocket, sysfsHostPath))

struct PrometheusProbe {
  json::Value interval;
  json::Value timeout;
  json::Value maxRetries;  // view: int64
};
BOOST_DESCRIBE_STRUCT(PrometheusProbe, (), (interval, timeout, maxRetries))

struct PrometheusServiceMonitor {
  std::optional<bool> enabled;
  std::string interval;
  std::string scrapeTimeout;
  std::string bearerTokenFile;
};
BOOST_DESCRIBE_STRUCT(PrometheusServiceMonitor, (),
                      (enabled, interval, scrapeTimeout, bearerTokenFile))

struct PrometheusConfig {
  std::optional<bool> enabled;
  std::string instanceName;
  std::string retentionPeriod;
  std::string sampleInterval;
  std::optional<bool> enablePersistentStorage;
  std::string storageSize;
  std::string storageClassName;
  std::optional<PrometheusServiceMonitor> serviceMonitor;
  std::string externalPrometheusUrl;
  std::optional<PrometheusProbe> externalPrometheusHealthProbe;
  std::string accountingLabelKey;
  std::string accountingLabelValue;
};
BOOST_DESCRIBE_STRUCT(PrometheusConfig, (),
                      (enabled, instanceName, retentionPeriod, sampleInterval,
                       enablePersistentStorage, storageSize, storageClassName, serviceMonitor,
                       externalPrometheusUrl, externalPrometheusHealthProbe, accountingLabelKey,
                       accountingLabelValue))

struct SchedulerServicePort {
  std::string type;
  json::Value port;        // view: int64
  json::Value targetPort;  // view: int64
};
BOOST_DESCRIBE_STRUCT(SchedulerServicePort, (), (type, port, targetPort))

struct SchedulerConfig {
  std::optional<ConfigService> service;
  std::optional<SchedulerServicePort> schedulerService;
  std::optional<int32_t> replicas;
  json::Value GOGC;
  std::optional<ConfigVpa> vpa;
};
BOOST_DESCRIBE_STRUCT(SchedulerConfig, (), (service, schedulerService, replicas, GOGC, vpa))

struct ConfigSpec {
  std::string namespace_;
  std::optional<ConfigGlobal> global;
  std::optional<PodGrouperConfig> podGrouper;
  std::optional<BinderConfig> binder;
  std::optional<AdmissionConfig> admission;
  std::optional<SchedulerConfig> scheduler;
  std::optional<QueueControllerConfig> queueController;
  std::optional<PodGroupControllerConfig> podGroupController;
  std::optional<ScaleAdjusterConfig> nodeScaleAdjuster;
  std::optional<NumaExporterConfig> numaPlacementExporter;
  std::optional<PrometheusConfig> prometheus;
};
BOOST_DESCRIBE_STRUCT(ConfigSpec, (),
                      (namespace_, global, podGrouper, binder, admission, scheduler,
                       queueController, podGroupController, nodeScaleAdjuster,
                       numaPlacementExporter, prometheus))

}  // namespace coppice::api::kai
