#include "api/kai/config_notes.h"

namespace coppice::api::kai {

using namespace config_notes;

StructNotes Notes(const AdmissionWebhook*) {
  return StructNotes("Ports of admission.")
      .Field("port", "Port of the Service. Default: 443.", {kInteger})
      .Field("targetPort", "Port of the pods. Default: 9443.", {kInteger})
      .Field("probePort", kProbePort, {kInteger})
      .Field("metricsPort", kMetricsPort, {kInteger});
}

StructNotes Notes(const AdmissionConfig*) {
  return StructNotes("Admission of pods.")
      .Field("service", kService)
      .Field("webhook", "Its ports.")
      .Field("replicas", kReplicas)
      .Field("gpuSharing", "Whether pods may ask for parts of GPUs. Default: false.")
      .Field("blockNvidiaVisibleDevices",
             "Whether pods that set NVIDIA_VISIBLE_DEVICES are rejected. Default: false.")
      .Field("queueLabelSelector",
             "Whether only pods in namespaces with a queue label are checked. Default: false.")
      .Field("gpuFractionRuntimeClassName",
             "RuntimeClass of pods with parts of GPUs. Default: nvidia.")
      .Field("gpuPodRuntimeClassName", "Deprecated: gpuFractionRuntimeClassName.")
      .Field("mutatingWebhookConfigurationName",
             "Name of the webhook configuration. Default: mutating-kai-admission.")
      .Field("validatingWebhookConfigurationName",
             "Name of the webhook configuration. Default: validating-kai-admission.")
      .Field("vpa", kVpa);
}

StructNotes Notes(const ScaleAdjusterArgs*) {
  return StructNotes("Settings of the scale adjuster.")
      .Field("scalingPodImage", "Image of its pods.")
      .Field("nodeScaleNamespace", "Namespace of its pods. Default: kai-scale-adjust.")
      .Field("nodeScaleServiceAccount", "Account of its pods. Default: kai-scale-adjust.")
      .Field("gpuMemoryToFractionRatio",
             "Part of a GPU that a scaling pod asks for in place of a request by memory. Default: "
             "0.1.");
}

StructNotes Notes(const ScaleAdjusterConfig*) {
  return StructNotes("The scale adjuster, which lets autoscalers see requests for parts of GPUs.")
      .Field("service", kService)
      .Field("args", "Its settings.")
      .Field("vpa", kVpa);
}

StructNotes Notes(const NumaExporterConfig*) {
  return StructNotes("The NUMA exporter, a DaemonSet.")
      .Field("service", kService)
      .Field("nodeSelector",
             "Nodes where it runs. Default: feature.node.kubernetes.io/memory-numa=true.")
      .Field("tolerations", "Its tolerations.", {kTolerations})
      .Field("pollInterval", "How often it asks the kubelet, as a duration. Default: 1s.")
      .Field("driftResyncInterval",
             "How often it compares all annotations with the API, as a duration. Default: 1m.")
      .Field("podResourcesHostPath",
             "Folder of the kubelet's socket. Default: /var/lib/kubelet/pod-resources.")
      .Field("podResourcesSocket", "The socket in that folder.")
      .Field("sysfsHostPath", "Where sysfs is. Default: /sys.");
}

StructNotes Notes(const PrometheusProbe*) {
  return StructNotes("How an external Prometheus is probed.")
      .Field("interval", "Time between probes, in seconds. Default: 30.", {kInteger})
      .Field("timeout", "How long one may take, in seconds. Default: 10.", {kInteger})
      .Field("maxRetries", "Failures until it counts as unreachable. Default: 5.", {kInteger});
}

StructNotes Notes(const PrometheusServiceMonitor*) {
  return StructNotes("How Prometheus reads our metrics.")
      .Field("enabled", "Whether ServiceMonitors are created. Default: true.")
      .Field("interval", "Time between reads, as a duration. Default: 30s.")
      .Field("scrapeTimeout", "How long one may take, as a duration. Default: 10s.")
      .Field("bearerTokenFile", "File with the token to read with.");
}

StructNotes Notes(const PrometheusConfig*) {
  return StructNotes("Prometheus, for past usage of queues.")
      .Field("enabled", "Whether an instance is created. Default: false.")
      .Field("instanceName", "Its name. Default: prometheus.")
      .Field("retentionPeriod", "How long it keeps data. Default: 2w.")
      .Field("sampleInterval", "How often usage is sampled, as a duration. Default: 1m.")
      .Field("enablePersistentStorage", "Whether data survives a restart.")
      .Field("storageSize", "Size of its volume.")
      .Field("storageClassName", "StorageClass of its volume. Default: standard.")
      .Field("serviceMonitor", "How it reads our metrics.")
      .Field("externalPrometheusUrl", "URL of a Prometheus to use instead.")
      .Field("externalPrometheusHealthProbe", "How that one is probed.")
      .Field("accountingLabelKey", "Label of what is monitored. Default: kai.scheduler/accounting.")
      .Field("accountingLabelValue", "Value of that label. Default: true.");
}

}  // namespace coppice::api::kai
