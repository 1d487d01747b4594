#include "api/kai/config_notes.h"

namespace coppice::api::kai {

using namespace config_notes;

StructNotes Notes(const BinderPlugin*) {
  return StructNotes("Settings of a plugin of the binder.")
      .Field("enabled", "Whether it is used.")
      .Field("priority", "Plugins of higher priority run first.", {kInteger})
      .Field("arguments", "The plugin's own settings.");
}

StructNotes Notes(const ReservationConfig*) {
  return StructNotes("The pods that hold shared GPUs.")
      .Field("image", "Their image.")
      .Field("namespace", "Their namespace. Default: kai-resource-reservation.")
      .Field("serviceAccountName", "Their account. Default: kai-resource-reservation.")
      .Field("appLabel", "Value of their label app. Default: kai-resource-reservation.")
      .Field("runtimeClassName", "Their RuntimeClass.")
      .Field("allocationTimeout", "How long they may take to report their GPU, in seconds.",
             {kInteger})
      .Field("podResources", "Their resources besides the GPU.", {kResources})
      .Field("reservationPodSecurityContext", "Security context of the pods.",
             {External("core/v1 PodSecurityContext")})
      .Field("reservationContainerSecurityContext", "Security context of their container.",
             {kSecurityContext});
}

StructNotes Notes(const BinderConfig*) {
  return StructNotes("The binder.")
      .Field("service", kService)
      .Field("resourceReservation", "The pods that hold shared GPUs.")
      .Field("replicas", kReplicas)
      .Field("maxConcurrentReconciles", kReconciles, {kInteger})
      .Field("volumeBindingTimeoutSeconds", "How long volumes may take, in seconds.", {kInteger})
      .Field("probePort", kProbePort, {kInteger})
      .Field("metricsPort", kMetricsPort, {kInteger})
      .Field("cdiEnabled",
             "Whether GPUs are passed by CDI. Default: as the cluster's GPU operator says.")
      .Field("plugins", "Settings of plugins, by name.")
      .Field("vpa", kVpa);
}

StructNotes Notes(const PodGroupPorts*) {
  return StructNotes("Ports of the PodGroup controller.").Field("webhook", "Of its webhooks.");
}

StructNotes Notes(const PodGroupControllerConfig*) {
  return StructNotes("The PodGroup controller.")
      .Field("service", kService)
      .Field("controllerService", "Its ports.")
      .Field("webhooks", "Its webhooks.")
      .Field("replicas", kReplicas)
      .Field("maxConcurrentReconciles", kReconciles, {kInteger})
      .Field("vpa", kVpa);
}

StructNotes Notes(const QueuePorts*) {
  return StructNotes("Ports of the queue controller.")
      .Field("metrics", "Of its metrics.")
      .Field("webhook", "Of its webhooks.");
}

StructNotes Notes(const QueueControllerConfig*) {
  return StructNotes("The queue controller.")
      .Field("service", kService)
      .Field("controllerService", "Its ports.")
      .Field("webhooks", "Its webhooks.")
      .Field("replicas", kReplicas)
      .Field("metricsNamespace", "How names of its metrics begin. Default: kai.")
      .Field("queueLabelToMetricLabel",
             "Labels of queues that its metrics have: label=metric_label, separated by commas.")
      .Field("queueLabelToDefaultMetricValue",
             "Values for queues without the label: label=value, separated by commas.")
      .Field("vpa", kVpa);
}

StructNotes Notes(const PodGrouperArgs*) {
  return StructNotes("Settings of the pod grouper.")
      .Field("gangScheduleKnative", "Whether pods of a Knative revision are a gang. Default: true.")
      .Field("genericKartaFallback",
             "Whether unknown kinds are grouped by their Karta. Default: true.")
      .Field("defaultPrioritiesConfigMapName",
             "ConfigMap with default priorities by kind of workload.")
      .Field("defaultPrioritiesConfigMapNamespace", "Its namespace.");
}

StructNotes Notes(const PodGrouperConfig*) {
  return StructNotes("The pod grouper.")
      .Field("service", kService)
      .Field("args", "Its settings.")
      .Field("k8sClientConfig", "Limits of its requests.")
      .Field("replicas", kReplicas)
      .Field("maxConcurrentReconciles", kReconciles, {kInteger})
      .Field("vpa", kVpa);
}

StructNotes Notes(const SchedulerServicePort*) {
  return StructNotes("The scheduler's Service.")
      .Field("type", "Type of the Service. Default: ClusterIP.")
      .Field("port", "Port of the Service. Default: 8080.", {kInteger})
      .Field("targetPort", "Port of the pods. Default: 8080.", {kInteger});
}

StructNotes Notes(const SchedulerConfig*) {
  return StructNotes("The scheduler of every shard.")
      .Field("service", kService)
      .Field("schedulerService", "Its Service.")
      .Field("replicas", kReplicas)
      .Field("GOGC", "Set for KAI's scheduler; ours ignores it. Default: 400.", {kInteger})
      .Field("vpa", kVpa);
}

}  // namespace coppice::api::kai
