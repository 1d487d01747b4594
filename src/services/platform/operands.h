#pragma once

#include "services/platform/objects.h"

// The services that a Config deploys, one function each, and the arguments they are started with
// (spec/services.md 11.5).
namespace coppice::services::platform {

Args PodGrouperArgs(const json::Value& spec);
Args BinderArgs(const json::Value& spec, const Surroundings& cluster);
Args AdmissionArgs(const json::Value& spec);
Args QueueControllerArgs(const json::Value& spec);
Args PodGroupControllerArgs(const json::Value& spec);
Args ScaleAdjusterArgs(const json::Value& spec);

base::Result<Objects> PodGrouperObjects(const json::Value& spec, const Surroundings& cluster);
base::Result<Objects> BinderObjects(const json::Value& spec, const Surroundings& cluster);
base::Result<Objects> AdmissionObjects(const json::Value& spec, const Surroundings& cluster);
base::Result<Objects> QueueControllerObjects(const json::Value& spec, const Surroundings& cluster);
base::Result<Objects> PodGroupControllerObjects(const json::Value& spec,
                                                const Surroundings& cluster);
base::Result<Objects> ScaleAdjusterObjects(const json::Value& spec, const Surroundings& cluster);
base::Result<Objects> SchedulerAccount(const json::Value& spec, const Surroundings& cluster);
base::Result<Objects> NumaExporterObjects(const json::Value& spec, const Surroundings& cluster);
base::Result<Objects> PrometheusObjects(const json::Value& spec, const Surroundings& cluster);
// Every service in one Deployment.
base::Result<Objects> SingleProcessObjects(const json::Value& spec, const Surroundings& cluster);

// The account of reservation pods, in their namespace.
Desired ReservationAccount(const json::Value& spec, const Surroundings& cluster);

std::string MissingForPrometheus(const json::Value& spec, const Surroundings& cluster);

// Whether reservation pods name their GPUs by CDI: the plugin's own argument, else the Config, else
// the GPU operator's policy.
bool CdiEnabled(const json::Value& spec, const Surroundings& cluster);

// Services of the webhooks, shared with the single process.
struct WebhookNames {
  std::string service;
  std::string secret;
};
base::Result<Objects> AdmissionWebhooks(const json::Value& spec, const WebhookNames& names,
                                        const Surroundings& cluster);
base::Result<Objects> QueueWebhooks(const json::Value& spec, const WebhookNames& names,
                                    const Surroundings& cluster);
base::Result<Objects> PodGroupWebhooks(const json::Value& spec, const WebhookNames& names,
                                       const Surroundings& cluster);

}  // namespace coppice::services::platform
