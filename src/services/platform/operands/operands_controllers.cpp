// Pod-grouper, scale adjuster, and the controllers of queues and pod groups.
#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/well_known.h"
#include "services/platform/model/config_defaults.h"
#include "services/platform/model/webhooks.h"
#include "services/platform/operands/operands.h"

namespace coppice::services::platform {
namespace {

void Add(Args& args, std::string_view flag, std::string_view value) {
  args.emplace_back(flag);
  args.emplace_back(value);
}

void AddIfGiven(Args& args, std::string_view flag, std::string_view value) {
  if (!value.empty()) Add(args, flag, value);
}

// A controller that also answers a webhook.
Objects ServingController(view::kai::ConfigSpec spec, const ServiceInfo& info, const Args& args,
                          std::string_view secret, const std::vector<Port>& ports) {
  Desired deployment = MakeDeployment(spec, info, args);
  MountSecret(deployment, secret);
  return {MakeServiceAccount(spec, info.name), std::move(deployment),
          MakeService(spec, info.name, ports)};
}

void Append(Objects more, Objects& objects) {
  for (Desired& object : more) objects.push_back(std::move(object));
}

Port PortOf(view::kai::ConfigPort port) { return {port.name(), port.port(), port.targetPort()}; }

struct Validation {
  view::kai::ConfigWebhooks settings;
  view::kai::ConfigPort port;
  std::string_view name;
  WebhookRule rule;
  std::string_view path;
};

// The certificate, and the configuration when validation is on.
base::Result<Objects> ValidatingWebhook(view::kai::ConfigSpec spec, const WebhookNames& names,
                                        const Validation& wanted, const Surroundings& cluster) {
  COPPICE_ASSIGN(Desired secret, CertificateSecret(spec, names.secret, names.service, cluster));
  Objects objects;
  if (wanted.settings.enableValidation(true)) {
    const std::string name =
        fmt::format("{}{}", wanted.settings.webhookConfigurationNamePrefix(), wanted.rule.version);
    const WebhookTarget target{names.service, wanted.path, wanted.port.port(443), CaBundle(secret)};
    objects.push_back(
        MakeWebhookConfiguration(api::kValidatingWebhooks, name, names.service,
                                 {MakeWebhook(spec, wanted.name, wanted.rule, target)}, cluster));
  }
  objects.insert(objects.begin(), std::move(secret));
  return objects;
}

}  // namespace

Args PodGrouperArgs(view::kai::ConfigSpec spec) {
  const auto global = spec.global();
  const auto block = spec.podGrouper();
  const auto own = block.args();
  Args args;
  Add(args, "--scheduler-name", global.schedulerName());
  Add(args, "--queue-label-key", global.queueLabelKey());
  Add(args, "--nodepool-label-key", global.nodePoolLabelKey());
  if (own.has_gangScheduleKnative()) {
    args.push_back(fmt::format("--knative-gang-schedule={}", own.gangScheduleKnative()));
  }
  if (own.has_genericKartaFallback()) {
    args.push_back(fmt::format("--generic-karta-fallback={}", own.genericKartaFallback()));
  }
  AddIfGiven(args, "--default-priorities-configmap-name", own.defaultPrioritiesConfigMapName());
  AddIfGiven(args, "--default-priorities-configmap-namespace",
             own.defaultPrioritiesConfigMapNamespace());
  AddIfGiven(args, "--namespace-label-selector", SelectorText(global.namespaceLabelSelector()));
  AddIfGiven(args, "--pod-label-selector", SelectorText(global.podLabelSelector()));
  AddWorkers(block, args);
  AddClientFlags(block.k8sClientConfig(), args);
  AddLeaderElection(block.replicas(1), args);
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> PodGrouperObjects(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  const auto block = spec.podGrouper();
  if (!IsEnabled(block.service())) return Objects();
  const ServiceInfo info{"pod-grouper", "grouper", block.service(), block.replicas(1)};
  Objects objects = {MakeServiceAccount(spec, info.name),
                     MakeDeployment(spec, info, PodGrouperArgs(spec))};
  AddDisruptionBudget(spec, info, objects);
  AddAutoscaler(spec, info.name, block.vpa(), cluster, objects);
  return objects;
}

Args QueueControllerArgs(view::kai::ConfigSpec spec) {
  const auto block = spec.queueController();
  Args args;
  Add(args, "--metrics-listen-address",
      fmt::format(":{}", block.controllerService().metrics().targetPort()));
  AddIfGiven(args, "--metrics-namespace", block.metricsNamespace());
  AddIfGiven(args, "--queue-label-to-metric-label", block.queueLabelToMetricLabel());
  AddIfGiven(args, "--queue-label-to-default-metric-value", block.queueLabelToDefaultMetricValue());
  AddLeaderElection(block.replicas(1), args);
  AddClientFlags(block.service().k8sClientConfig(), args);
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> QueueWebhooks(view::kai::ConfigSpec spec, const WebhookNames& names,
                                    const Surroundings& cluster) {
  const auto block = spec.queueController();
  return ValidatingWebhook(spec, names,
                           {block.webhooks(),
                            block.controllerService().webhook(),
                            "queue-validation.kai.scheduler",
                            {"scheduling.run.ai", "v2", "queues", true},
                            "/validate-scheduling-run-ai-v2-queue"},
                           cluster);
}

base::Result<Objects> QueueControllerObjects(view::kai::ConfigSpec spec,
                                             const Surroundings& cluster) {
  const auto block = spec.queueController();
  if (!IsEnabled(block.service())) return Objects();
  const ServiceInfo info{"queue-controller", "queues", block.service(), block.replicas(1)};
  const WebhookNames names{info.name, "queue-webhook-tls-secret"};
  COPPICE_ASSIGN(Objects webhooks, QueueWebhooks(spec, names, cluster));
  const auto ports = block.controllerService();
  Objects objects = ServingController(spec, info, QueueControllerArgs(spec), names.secret,
                                      {PortOf(ports.webhook()), PortOf(ports.metrics())});
  AddAutoscaler(spec, info.name, block.vpa(), cluster, objects);
  Append(std::move(webhooks), objects);
  return objects;
}

Args PodGroupControllerArgs(view::kai::ConfigSpec spec) {
  const auto block = spec.podGroupController();
  Args args;
  Add(args, "--scheduler-name", spec.global().schedulerName());
  AddWorkers(block, args);
  AddLeaderElection(block.replicas(1), args);
  AddClientFlags(block.service().k8sClientConfig(), args);
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> PodGroupWebhooks(view::kai::ConfigSpec spec, const WebhookNames& names,
                                       const Surroundings& cluster) {
  const auto block = spec.podGroupController();
  return ValidatingWebhook(spec, names,
                           {block.webhooks(),
                            block.controllerService().webhook(),
                            "podgroup-validation.kai.scheduler",
                            {"scheduling.run.ai", "v2alpha2", "podgroups"},
                            "/validate-scheduling-run-ai-v2alpha2-podgroup"},
                           cluster);
}

base::Result<Objects> PodGroupControllerObjects(view::kai::ConfigSpec spec,
                                                const Surroundings& cluster) {
  const auto block = spec.podGroupController();
  if (!IsEnabled(block.service())) return Objects();
  const ServiceInfo info{"podgroup-controller", "podgroups", block.service(), block.replicas(1)};
  const WebhookNames names{info.name, "podgroup-webhook-tls-secret"};
  COPPICE_ASSIGN(Objects webhooks, PodGroupWebhooks(spec, names, cluster));
  Objects objects = ServingController(spec, info, PodGroupControllerArgs(spec), names.secret,
                                      {PortOf(block.controllerService().webhook())});
  AddAutoscaler(spec, info.name, block.vpa(), cluster, objects);
  Append(std::move(webhooks), objects);
  return objects;
}

Args ScaleAdjusterArgs(view::kai::ConfigSpec spec) {
  const auto own = spec.nodeScaleAdjuster().args();
  Args args;
  Add(args, "--scheduler-name", spec.global().schedulerName());
  AddIfGiven(args, "--scaling-pod-service-account", own.nodeScaleServiceAccount());
  AddIfGiven(args, "--scaling-pod-image", ImageUrl(own.scalingPodImage()));
  AddIfGiven(args, "--scaling-pod-command", "coppice run scalingpod");
  AddIfGiven(args, "--scale-adjust-namespace", own.nodeScaleNamespace());
  if (own.has_gpuMemoryToFractionRatio()) {
    Add(args, "--gpu-memory-to-fraction-ratio",
        fmt::format("{:f}", own.gpuMemoryToFractionRatio()));
  }
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> ScaleAdjusterObjects(view::kai::ConfigSpec spec,
                                           const Surroundings& cluster) {
  const auto block = spec.nodeScaleAdjuster();
  if (!IsEnabled(block.service())) return Objects();
  const ServiceInfo info{"node-scale-adjuster", "scaleadjuster", block.service()};
  Desired account = MakeServiceAccount(spec, block.args().nodeScaleServiceAccount());
  const edit::core::ServiceAccount scaling(account.object);
  scaling.metadata().set_namespace_(block.args().nodeScaleNamespace());
  scaling.set_imagePullSecrets(PullSecrets(spec));
  Objects objects = {MakeServiceAccount(spec, info.name), std::move(account),
                     MakeDeployment(spec, info, ScaleAdjusterArgs(spec))};
  AddAutoscaler(spec, info.name, block.vpa(), cluster, objects);
  return objects;
}

base::Result<Objects> SchedulerAccount(view::kai::ConfigSpec spec, const Surroundings&) {
  if (!IsEnabled(spec.scheduler().service())) return Objects();
  return Objects{MakeServiceAccount(spec, "scheduler")};
}

}  // namespace coppice::services::platform
