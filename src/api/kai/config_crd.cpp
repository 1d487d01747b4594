#include "api/grove/crd_notes.h"
#include "api/kai/config.h"
#include "api/kai/crds.h"
#include "api/kai/scheduling_shard.h"
#include "api/typed/crd.h"
#include "api/well_known.h"

namespace coppice::api::kai {
namespace {

const SchemaPart kInteger = Type("integer");
const SchemaPart kAffinity = External("core/v1 Affinity");
const SchemaPart kTolerations = Items({External("core/v1 Toleration")});
const SchemaPart kResources = External("core/v1 ResourceRequirements");
const SchemaPart kSecurityContext = External("core/v1 SecurityContext");

}  // namespace

StructNotes Notes(const ConfigClient*) {
  return StructNotes("Limits of requests to the API server.")
      .Field("qps", "", {kInteger})
      .Field("burst", "", {kInteger});
}

StructNotes Notes(const ConfigService*) {
  return StructNotes("How one service is deployed.")
      .Field("resources", "", {kResources})
      .Field("affinity", "", {kAffinity});
}

StructNotes Notes(const VpaContainerPolicy*) {
  return StructNotes()
      .Field("mode", "", {Enum({"Auto", "Off"})})
      .Field("controlledValues", "", {Enum({"RequestsAndLimits", "RequestsOnly"})});
}

StructNotes Notes(const VpaEvictionRequirement*) {
  return StructNotes()
      .Required({"changeRequirement", "resources"})
      .Field("changeRequirement", "",
             {Enum({"TargetHigherThanRequests", "TargetLowerThanRequests"})});
}

StructNotes Notes(const VpaUpdatePolicy*) {
  return StructNotes().Field("updateMode", "",
                             {Enum({"Off", "Initial", "Recreate", "InPlaceOrRecreate", "Auto"})});
}

StructNotes Notes(const ConfigGlobal*) {
  return StructNotes("What holds for every service.")
      .Field("affinity", "", {kAffinity})
      .Field("daemonsetsTolerations", "", {kTolerations})
      .Field("tolerations", "", {kTolerations})
      .Field("securityContext", "", {kSecurityContext})
      .Field("replicaCount", "Of services that do not say how many they are.")
      .Field("singleProcess", "Run every service in one Deployment.");
}

StructNotes Notes(const AdmissionWebhook*) {
  return StructNotes()
      .Field("port", "", {kInteger})
      .Field("targetPort", "", {kInteger})
      .Field("probePort", "", {kInteger})
      .Field("metricsPort", "", {kInteger});
}

StructNotes Notes(const BinderPlugin*) { return StructNotes().Field("priority", "", {kInteger}); }

StructNotes Notes(const ReservationConfig*) {
  return StructNotes("The pods that hold shared GPUs.")
      .Field("allocationTimeout", "Seconds.", {kInteger})
      .Field("podResources", "", {kResources})
      .Field("reservationPodSecurityContext", "", {External("core/v1 PodSecurityContext")})
      .Field("reservationContainerSecurityContext", "", {kSecurityContext});
}

StructNotes Notes(const BinderConfig*) {
  return StructNotes()
      .Field("maxConcurrentReconciles", "", {kInteger})
      .Field("volumeBindingTimeoutSeconds", "", {kInteger})
      .Field("probePort", "", {kInteger})
      .Field("metricsPort", "", {kInteger})
      .Field("cdiEnabled", "Absent: as the cluster's GPU operator says.");
}

StructNotes Notes(const ConfigPort*) {
  return StructNotes().Field("port", "", {kInteger}).Field("targetPort", "", {kInteger});
}

StructNotes Notes(const PodGroupControllerConfig*) {
  return StructNotes().Field("maxConcurrentReconciles", "", {kInteger});
}

StructNotes Notes(const PodGrouperConfig*) {
  return StructNotes().Field("maxConcurrentReconciles", "", {kInteger});
}

StructNotes Notes(const NumaExporterConfig*) {
  return StructNotes().Field("tolerations", "", {kTolerations});
}

StructNotes Notes(const PrometheusProbe*) {
  return StructNotes()
      .Field("interval", "Seconds.", {kInteger})
      .Field("timeout", "Seconds.", {kInteger})
      .Field("maxRetries", "", {kInteger});
}

StructNotes Notes(const SchedulerServicePort*) {
  return StructNotes().Field("port", "", {kInteger}).Field("targetPort", "", {kInteger});
}

StructNotes Notes(const SchedulerConfig*) { return StructNotes().Field("GOGC", "", {kInteger}); }

StructNotes Notes(const ConfigSpec*) {
  return StructNotes("The whole scheduler stack.").Field("namespace", "Where the services run.");
}

json::Value ConfigCrd() {
  return Crd(kConfigs)
      .Version<ConfigSpec, ConditionsStatus>(
          "v1", {.about = "What the platform operator deploys. Only kai-config counts."})
      .ToJson();
}

}  // namespace coppice::api::kai
