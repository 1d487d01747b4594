// Pod-grouper, scale adjuster, and the controllers of queues and pod groups.
#include <fmt/format.h>

#include "api/well_known.h"
#include "services/platform/config_defaults.h"
#include "services/platform/operands.h"
#include "services/platform/webhooks.h"

namespace coppice::services::platform {
namespace {

using json::Value;

void Add(Args& args, std::string_view flag, const Value& value) {
  args.push_back(std::string(flag));
  args.push_back(value.ToString());
}

void AddIfGiven(Args& args, std::string_view flag, const Value& value) {
  if (!value.AsString().empty()) Add(args, flag, value);
}

void AddNumber(Args& args, std::string_view flag, const Value& value) {
  if (value.IsNumber()) args.push_back(fmt::format("{}={}", flag, value.AsInt()));
}

void AddBool(Args& args, std::string_view flag, const Value& value) {
  if (value.IsBool()) args.push_back(fmt::format("{}={}", flag, value.AsBool()));
}

// A controller that also answers a webhook.
base::Result<Objects> WithWebhook(const Value& spec, const ServiceInfo& info, const Args& args,
                                  Objects webhooks, std::string_view secret,
                                  std::vector<Value> ports, const Surroundings& cluster) {
  Desired deployment = MakeDeployment(spec, info, args);
  MountSecret(deployment, secret);
  Objects objects = {MakeServiceAccount(spec, info.name), std::move(deployment),
                     MakeService(spec, info.name, std::move(ports))};
  AddAutoscaler(spec, info.name, api::kDeployments, info.block, cluster, objects);
  for (Desired& object : webhooks) objects.push_back(std::move(object));
  return objects;
}

Value PortOf(const Value& port) {
  return ServicePort(port["name"].AsString(), port["port"], port["targetPort"]);
}

// The certificate, and the configuration when validation is on.
base::Result<Objects> ValidatingWebhook(const Value& spec, const Value& block,
                                        const WebhookNames& names, std::string_view webhook,
                                        const WebhookRule& rule, std::string_view path,
                                        const Surroundings& cluster) {
  COPPICE_ASSIGN(Desired secret, CertificateSecret(spec, names.secret, names.service, cluster));
  Objects objects;
  if (block["webhooks"]["enableValidation"].AsBool(true)) {
    const std::string name = fmt::format(
        "{}{}", block["webhooks"]["webhookConfigurationNamePrefix"].AsString(), rule.version);
    const WebhookTarget target{names.service, path, block["controllerService"]["webhook"]["port"],
                               CaBundle(secret)};
    objects.push_back(MakeWebhookConfiguration(api::kValidatingWebhooks, name, names.service,
                                               {MakeWebhook(spec, webhook, rule, target)},
                                               cluster));
  }
  objects.insert(objects.begin(), std::move(secret));
  return objects;
}

}  // namespace

Args PodGrouperArgs(const Value& spec) {
  const Value& global = spec["global"];
  const Value& block = spec["podGrouper"];
  Args args;
  Add(args, "--scheduler-name", global["schedulerName"]);
  Add(args, "--queue-label-key", global["queueLabelKey"]);
  Add(args, "--nodepool-label-key", global["nodePoolLabelKey"]);
  AddBool(args, "--knative-gang-schedule", block["args"]["gangScheduleKnative"]);
  AddBool(args, "--generic-karta-fallback", block["args"]["genericKartaFallback"]);
  AddIfGiven(args, "--default-priorities-configmap-name",
             block["args"]["defaultPrioritiesConfigMapName"]);
  AddIfGiven(args, "--default-priorities-configmap-namespace",
             block["args"]["defaultPrioritiesConfigMapNamespace"]);
  AddIfGiven(args, "--namespace-label-selector", SelectorText(global["namespaceLabelSelector"]));
  AddIfGiven(args, "--pod-label-selector", SelectorText(global["podLabelSelector"]));
  AddNumber(args, "--max-concurrent-reconciles", block["maxConcurrentReconciles"]);
  AddClientFlags(block["k8sClientConfig"], args);
  AddLeaderElection(block, args);
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> PodGrouperObjects(const Value& spec, const Surroundings& cluster) {
  const Value& block = spec["podGrouper"];
  if (!IsEnabled(block)) return Objects();
  const ServiceInfo info{"pod-grouper", "grouper", block};
  Objects objects = {MakeServiceAccount(spec, info.name),
                     MakeDeployment(spec, info, PodGrouperArgs(spec))};
  AddDisruptionBudget(spec, info.name, block, objects);
  AddAutoscaler(spec, info.name, api::kDeployments, block, cluster, objects);
  return objects;
}

Args QueueControllerArgs(const Value& spec) {
  const Value& block = spec["queueController"];
  Args args;
  args.push_back("--metrics-listen-address");
  args.push_back(fmt::format(":{}", block["controllerService"]["metrics"]["targetPort"].AsInt()));
  AddIfGiven(args, "--metrics-namespace", block["metricsNamespace"]);
  AddIfGiven(args, "--queue-label-to-metric-label", block["queueLabelToMetricLabel"]);
  AddIfGiven(args, "--queue-label-to-default-metric-value",
             block["queueLabelToDefaultMetricValue"]);
  AddLeaderElection(block, args);
  AddClientFlags(block["service"]["k8sClientConfig"], args);
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> QueueWebhooks(const Value& spec, const WebhookNames& names,
                                    const Surroundings& cluster) {
  return ValidatingWebhook(spec, spec["queueController"], names, "queue-validation.kai.scheduler",
                           {"scheduling.run.ai", "v2", "queues", true},
                           "/validate-scheduling-run-ai-v2-queue", cluster);
}

base::Result<Objects> QueueControllerObjects(const Value& spec, const Surroundings& cluster) {
  const Value& block = spec["queueController"];
  if (!IsEnabled(block)) return Objects();
  const ServiceInfo info{"queue-controller", "queues", block};
  const WebhookNames names{info.name, "queue-webhook-tls-secret"};
  COPPICE_ASSIGN(Objects webhooks, QueueWebhooks(spec, names, cluster));
  const Value& ports = block["controllerService"];
  return WithWebhook(spec, info, QueueControllerArgs(spec), std::move(webhooks), names.secret,
                     {PortOf(ports["webhook"]), PortOf(ports["metrics"])}, cluster);
}

Args PodGroupControllerArgs(const Value& spec) {
  const Value& block = spec["podGroupController"];
  Args args;
  Add(args, "--scheduler-name", spec["global"]["schedulerName"]);
  AddNumber(args, "--max-concurrent-reconciles", block["maxConcurrentReconciles"]);
  AddLeaderElection(block, args);
  AddClientFlags(block["service"]["k8sClientConfig"], args);
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> PodGroupWebhooks(const Value& spec, const WebhookNames& names,
                                       const Surroundings& cluster) {
  return ValidatingWebhook(spec, spec["podGroupController"], names,
                           "podgroup-validation.kai.scheduler",
                           {"scheduling.run.ai", "v2alpha2", "podgroups"},
                           "/validate-scheduling-run-ai-v2alpha2-podgroup", cluster);
}

base::Result<Objects> PodGroupControllerObjects(const Value& spec, const Surroundings& cluster) {
  const Value& block = spec["podGroupController"];
  if (!IsEnabled(block)) return Objects();
  const ServiceInfo info{"podgroup-controller", "podgroups", block};
  const WebhookNames names{info.name, "podgroup-webhook-tls-secret"};
  COPPICE_ASSIGN(Objects webhooks, PodGroupWebhooks(spec, names, cluster));
  return WithWebhook(spec, info, PodGroupControllerArgs(spec), std::move(webhooks), names.secret,
                     {PortOf(block["controllerService"]["webhook"])}, cluster);
}

Args ScaleAdjusterArgs(const Value& spec) {
  const Value& own = spec["nodeScaleAdjuster"]["args"];
  Args args;
  Add(args, "--scheduler-name", spec["global"]["schedulerName"]);
  AddIfGiven(args, "--scaling-pod-service-account", own["nodeScaleServiceAccount"]);
  AddIfGiven(args, "--scaling-pod-image", ImageUrl(own["scalingPodImage"]));
  AddIfGiven(args, "--scaling-pod-command", "coppice run scalingpod");
  AddIfGiven(args, "--scale-adjust-namespace", own["nodeScaleNamespace"]);
  if (own["gpuMemoryToFractionRatio"].IsNumber()) {
    args.push_back("--gpu-memory-to-fraction-ratio");
    args.push_back(fmt::format("{:f}", own["gpuMemoryToFractionRatio"].AsDouble()));
  }
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> ScaleAdjusterObjects(const Value& spec, const Surroundings& cluster) {
  const Value& block = spec["nodeScaleAdjuster"];
  if (!IsEnabled(block)) return Objects();
  const ServiceInfo info{"node-scale-adjuster", "scaleadjuster", block};
  Desired account = MakeServiceAccount(spec, block["args"]["nodeScaleServiceAccount"].AsString());
  account.object.Mutable("metadata").Set("namespace", block["args"]["nodeScaleNamespace"]);
  account.object.Set("imagePullSecrets", PullSecrets(spec));
  Objects objects = {MakeServiceAccount(spec, info.name), std::move(account),
                     MakeDeployment(spec, info, ScaleAdjusterArgs(spec))};
  AddAutoscaler(spec, info.name, api::kDeployments, block, cluster, objects);
  return objects;
}

base::Result<Objects> SchedulerAccount(const Value& spec, const Surroundings&) {
  if (!IsEnabled(spec["scheduler"])) return Objects();
  return Objects{MakeServiceAccount(spec, "scheduler")};
}

}  // namespace coppice::services::platform
