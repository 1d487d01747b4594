#pragma once

#include "api/kai/config.h"
#include "api/typed/notes.h"

// What the schema of KAI's Config says beyond field types.
namespace coppice::api::kai {

namespace config_notes {

inline const SchemaPart kInteger = Type("integer");
inline const SchemaPart kAffinity = External("core/v1 Affinity");
inline const SchemaPart kTolerations = Items({External("core/v1 Toleration")});
inline const SchemaPart kResources = External("core/v1 ResourceRequirements");
inline const SchemaPart kSecurityContext = External("core/v1 SecurityContext");

inline constexpr std::string_view kService = "How the service is deployed.";
inline constexpr std::string_view kVpa = "Its vertical autoscaler. Default: that of global.";
inline constexpr std::string_view kReplicas =
    "How many processes. Default: replicaCount of global.";
inline constexpr std::string_view kReconciles = "How many objects are handled at once.";
inline constexpr std::string_view kPort = "Port of the Service.";
inline constexpr std::string_view kTargetPort = "Port of the pods.";
inline constexpr std::string_view kProbePort = "Port of health and readiness. Default: 8081.";
inline constexpr std::string_view kMetricsPort = "Port of metrics. Default: 8080.";

}  // namespace config_notes

StructNotes Notes(const ConfigImage*);
StructNotes Notes(const ConfigClient*);
StructNotes Notes(const ConfigDisruption*);
StructNotes Notes(const ConfigService*);
StructNotes Notes(const VpaContainerPolicy*);
StructNotes Notes(const VpaResourcePolicy*);
StructNotes Notes(const VpaEvictionRequirement*);
StructNotes Notes(const VpaUpdatePolicy*);
StructNotes Notes(const ConfigVpa*);
StructNotes Notes(const ConfigGlobal*);
StructNotes Notes(const AdmissionWebhook*);
StructNotes Notes(const AdmissionConfig*);
StructNotes Notes(const BinderPlugin*);
StructNotes Notes(const ReservationConfig*);
StructNotes Notes(const BinderConfig*);
StructNotes Notes(const ConfigPort*);
StructNotes Notes(const ConfigWebhooks*);
StructNotes Notes(const PodGroupPorts*);
StructNotes Notes(const PodGroupControllerConfig*);
StructNotes Notes(const QueuePorts*);
StructNotes Notes(const QueueControllerConfig*);
StructNotes Notes(const PodGrouperArgs*);
StructNotes Notes(const PodGrouperConfig*);
StructNotes Notes(const ScaleAdjusterArgs*);
StructNotes Notes(const ScaleAdjusterConfig*);
StructNotes Notes(const NumaExporterConfig*);
StructNotes Notes(const PrometheusProbe*);
StructNotes Notes(const PrometheusServiceMonitor*);
StructNotes Notes(const PrometheusConfig*);
StructNotes Notes(const SchedulerServicePort*);
StructNotes Notes(const SchedulerConfig*);
StructNotes Notes(const ConfigSpec*);

}  // namespace coppice::api::kai
