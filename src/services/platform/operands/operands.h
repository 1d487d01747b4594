#pragma once

#include "services/platform/model/objects.h"

// The services that a Config deploys, one function each, and the arguments they are started with
// (docs/behaviour/platform.md K-87).
namespace coppice::services::platform {

Args PodGrouperArgs(view::kai::ConfigSpec spec);
Args BinderArgs(view::kai::ConfigSpec spec, const Surroundings& cluster);
Args AdmissionArgs(view::kai::ConfigSpec spec);
Args QueueControllerArgs(view::kai::ConfigSpec spec);
Args PodGroupControllerArgs(view::kai::ConfigSpec spec);
Args ScaleAdjusterArgs(view::kai::ConfigSpec spec);

base::Result<Objects> PodGrouperObjects(view::kai::ConfigSpec spec, const Surroundings& cluster);
base::Result<Objects> BinderObjects(view::kai::ConfigSpec spec, const Surroundings& cluster);
base::Result<Objects> AdmissionObjects(view::kai::ConfigSpec spec, const Surroundings& cluster);
base::Result<Objects> QueueControllerObjects(view::kai::ConfigSpec spec,
                                             const Surroundings& cluster);
base::Result<Objects> PodGroupControllerObjects(view::kai::ConfigSpec spec,
                                                const Surroundings& cluster);
base::Result<Objects> ScaleAdjusterObjects(view::kai::ConfigSpec spec, const Surroundings& cluster);
base::Result<Objects> SchedulerAccount(view::kai::ConfigSpec spec, const Surroundings& cluster);
base::Result<Objects> NumaExporterObjects(view::kai::ConfigSpec spec, const Surroundings& cluster);
base::Result<Objects> PrometheusObjects(view::kai::ConfigSpec spec, const Surroundings& cluster);
// Every service in one Deployment.
base::Result<Objects> SingleProcessObjects(view::kai::ConfigSpec spec, const Surroundings& cluster);

// The account of reservation pods, in their namespace.
Desired ReservationAccount(view::kai::ConfigSpec spec, const Surroundings& cluster);

std::string MissingForPrometheus(view::kai::ConfigSpec spec, const Surroundings& cluster);

// Whether reservation pods use CDI device names: the plugin's own argument, else the Config, else
// the GPU operator's policy.
bool CdiEnabled(view::kai::ConfigSpec spec, const Surroundings& cluster);

// Services of the webhooks, shared with the single process.
struct WebhookNames {
  std::string service;
  std::string secret;
};
// `placed`: a CEL expression that also selects pods of other schedulers, "" for none. For these the
// webhook fails open.
base::Result<Objects> AdmissionWebhooks(view::kai::ConfigSpec spec, const WebhookNames& names,
                                        const Surroundings& cluster,
                                        const std::string& placed = "");
base::Result<Objects> QueueWebhooks(view::kai::ConfigSpec spec, const WebhookNames& names,
                                    const Surroundings& cluster);
base::Result<Objects> PodGroupWebhooks(view::kai::ConfigSpec spec, const WebhookNames& names,
                                       const Surroundings& cluster);

}  // namespace coppice::services::platform
