#include "api/kai/config_notes.h"

namespace coppice::api::kai {

using namespace config_notes;

StructNotes Notes(const ConfigImage*) {
  return StructNotes("An image.")
      .Field("name", "Its name without registry and tag.")
      .Field("repository", "Registry and path.")
      .Field("tag", "Its tag. Default: the version.")
      .Field("pullPolicy", "When kubelets pull it. Default: IfNotPresent.");
}

StructNotes Notes(const ConfigClient*) {
  return StructNotes("Limits of requests to the API server; accepted and ignored.")
      .Field("qps", "Requests per second. Default: 20.", {kInteger})
      .Field("burst", "Requests at once. Default: 100.", {kInteger});
}

StructNotes Notes(const ConfigDisruption*) {
  return StructNotes("A PodDisruptionBudget, for more than one replica.")
      .Field("enabled", "Whether there is one. Default: false.")
      .Field("maxUnavailable", "How many pods may be missing. Default: 1.");
}

StructNotes Notes(const ConfigService*) {
  return StructNotes(kService)
      .Field("enabled", "Whether it is deployed. Default: true.")
      .Field("image", "Its image.")
      .Field("resources",
             "Resources of its container. Default: 50m to 100m CPU, 256Mi to 512Mi memory.",
             {kResources})
      .Field("affinity", "Where its pods run. Default: affinity of global.", {kAffinity})
      .Field("k8sClientConfig", "Limits of its requests.")
      .Field("podDisruptionBudget", "How many of its pods may be missing.");
}

StructNotes Notes(const VpaContainerPolicy*) {
  return StructNotes("What a vertical autoscaler may change in a container.")
      .Field("containerName", "The container; * is all.")
      .Field("mode", "Whether it changes anything.", {Enum({"Auto", "Off"})})
      .Field("controlledValues", "Whether it changes limits too.",
             {Enum({"RequestsAndLimits", "RequestsOnly"})})
      .Field("controlledResources", "The resources that it changes.")
      .Field("minAllowed", "The least it sets.")
      .Field("maxAllowed", "The most it sets.");
}

StructNotes Notes(const VpaResourcePolicy*) {
  return StructNotes("What a vertical autoscaler may change.")
      .Field("containerPolicies", "By container.");
}

StructNotes Notes(const VpaEvictionRequirement*) {
  return StructNotes("When a vertical autoscaler may evict a pod.")
      .Required({"changeRequirement", "resources"})
      .Field("resources", "The resources that must need a change.")
      .Field("changeRequirement", "In which direction.",
             {Enum({"TargetHigherThanRequests", "TargetLowerThanRequests"})});
}

StructNotes Notes(const VpaUpdatePolicy*) {
  return StructNotes("How a vertical autoscaler applies its changes.")
      .Field("minReplicas", "The fewest pods at which it evicts one.")
      .Field("evictionRequirements", "When it may evict.")
      .Field("updateMode", "How it changes pods. Default: InPlaceOrRecreate.",
             {Enum({"Off", "Initial", "Recreate", "InPlaceOrRecreate", "Auto"})});
}

StructNotes Notes(const ConfigVpa*) {
  return StructNotes("A VerticalPodAutoscaler.")
      .Field("enabled", "Whether there is one. Default: false.")
      .Field("resourcePolicy", "What it may change.")
      .Field("updatePolicy", "How it applies changes.");
}

StructNotes Notes(const ConfigGlobal*) {
  return StructNotes("What holds for every service.")
      .Field("affinity", "Where pods run.", {kAffinity})
      .Field("additionalImagePullSecrets", "Secrets to pull images with.")
      .Field("daemonsetsTolerations", "Tolerations of DaemonSets.", {kTolerations})
      .Field("imagesPullSecret", "Deprecated: additionalImagePullSecrets.")
      .Field("jsonLog", "Whether logs are JSON. Default: false.")
      .Field("namespaceLabelSelector", "Labels of the namespaces that are served. Default: all.")
      .Field("nodePoolLabelKey",
             "Label that assigns objects to a shard. Default: kai.scheduler/node-pool.")
      .Field("nodeSelector", "Nodes where pods run.")
      .Field("openshift", "Whether this is OpenShift. Default: false.")
      .Field("podLabelSelector", "Labels of the pods that are served. Default: all.")
      .Field("priorityClassName", "Priority of the services' pods.")
      .Field("queueLabelKey", "Label that names a queue. Default: kai.scheduler/queue.")
      .Field("replicaCount", "Replicas of services that do not say how many. Default: 1.")
      .Field("requireDefaultPodAntiAffinityTerm",
             "Whether replicas must run on different nodes. Default: false, they should.")
      .Field("schedulerName", "The schedulerName of pods that are served. Default: kai-scheduler.")
      .Field("securityContext", "Security context of the containers.", {kSecurityContext})
      .Field("singleProcess", "Run every service in one Deployment. Default: false.")
      .Field("tolerations", "Tolerations of the pods.", {kTolerations})
      .Field("vpa", "Vertical autoscalers of the services.");
}

StructNotes Notes(const ConfigPort*) {
  return StructNotes("A port.")
      .Field("name", "Its name.")
      .Field("port", kPort, {kInteger})
      .Field("targetPort", kTargetPort, {kInteger});
}

StructNotes Notes(const ConfigWebhooks*) {
  return StructNotes("Webhooks of a controller.")
      .Field("enableValidation", "Whether objects are validated. Default: true.")
      .Field("webhookConfigurationNamePrefix", "How names of webhook configurations begin.");
}

StructNotes Notes(const ConfigSpec*) {
  return StructNotes("The whole scheduler stack.")
      .Field("namespace", "Where the services run. Default: kai-scheduler.")
      .Field("global", "What holds for every service.")
      .Field("podGrouper", "The pod grouper.")
      .Field("binder", "The binder.")
      .Field("admission", "Admission of pods.")
      .Field("scheduler", "The scheduler of every shard.")
      .Field("queueController", "The queue controller.")
      .Field("podGroupController", "The PodGroup controller.")
      .Field("nodeScaleAdjuster", "The scale adjuster.")
      .Field("numaPlacementExporter", "The NUMA exporter.")
      .Field("prometheus", "Prometheus, for past usage of queues.");
}

}  // namespace coppice::api::kai
