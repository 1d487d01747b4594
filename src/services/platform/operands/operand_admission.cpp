#include <fmt/format.h>

#include "api/edit/admissionregistration.h"
#include "api/labels.h"
#include "api/well_known.h"
#include "services/binder/model/plugin_config.h"
#include "services/platform/model/webhooks.h"
#include "services/platform/operands/operands.h"

namespace coppice::services::platform {
namespace {

using edit::admissionregistration::MutatingWebhook;
using json::Value;

const WebhookRule kNewPods{"", "v1", "pods", false, false};

void SelectNamespaces(view::kai::ConfigSpec spec, edit::meta::LabelSelector selector) {
  const auto global = spec.global();
  selector.add_matchExpressions()
      .set_key(api::labels::kNamespaceName)
      .set_operator_("NotIn")
      .set_values(Value::Array({"kube-system", spec.namespace_()}));
  if (spec.admission().queueLabelSelector()) {
    selector.add_matchExpressions().set_key(global.queueLabelKey()).set_operator_("Exists");
  }
  const Value& labels = global.namespaceLabelSelector().Json();
  if (!labels.empty()) selector.set_matchLabels(labels);
}

void SelectPods(view::kai::ConfigSpec spec, std::string_view condition, std::string_view expression,
                MutatingWebhook webhook) {
  SelectNamespaces(spec, webhook.namespaceSelector());
  const Value& labels = spec.global().podLabelSelector().Json();
  if (!labels.empty()) webhook.objectSelector().set_matchLabels(labels);
  webhook.add_matchConditions().set_name(condition).set_expression(expression);
}

// Only pods of our scheduler are sent at all.
void SelectOurs(view::kai::ConfigSpec spec, Value& webhook) {
  SelectPods(spec, "scheduler-name-match",
             fmt::format("object.spec.schedulerName == '{}'", spec.global().schedulerName()),
             MutatingWebhook(webhook));
}

// Pods that placement rules assign to our scheduler. Until then they belong to others, so they must
// not wait for us or fail while we are down.
Value PlacementWebhook(view::kai::ConfigSpec spec, const std::string& dns,
                       const WebhookTarget& target, const std::string& placed) {
  Value made = MakeWebhook(spec, "placement." + dns, kNewPods, target);
  const MutatingWebhook webhook(made);
  SelectPods(spec, "placed-by-rule", placed, webhook);
  webhook.set_failurePolicy("Ignore").set_timeoutSeconds(5).set_reinvocationPolicy("IfNeeded");
  return made;
}

}  // namespace

base::Result<Objects> AdmissionWebhooks(view::kai::ConfigSpec spec, const WebhookNames& names,
                                        const Surroundings& cluster, const std::string& placed) {
  const auto block = spec.admission();
  COPPICE_ASSIGN(Desired secret, CertificateSecret(spec, names.secret, names.service, cluster));
  const std::string dns = fmt::format("{}.{}.svc", names.service, spec.namespace_());
  const auto target = [&](std::string_view path) {
    return WebhookTarget{names.service, path, block.webhook().port(443), CaBundle(secret)};
  };
  Value mutating = MakeWebhook(spec, dns, kNewPods, target("/mutate--v1-pod"));
  MutatingWebhook(mutating).set_reinvocationPolicy("IfNeeded");
  SelectOurs(spec, mutating);
  // First, so that what it gives to our scheduler is then seen as any other pod of it.
  std::vector<Value> mutators;
  if (!placed.empty()) {
    mutators.push_back(PlacementWebhook(spec, dns, target("/mutate--v1-pod"), placed));
  }
  mutators.push_back(std::move(mutating));
  Value validating = MakeWebhook(spec, dns, {"", "v1", "pods"}, target("/validate--v1-pod"));
  SelectOurs(spec, validating);
  Value topology =
      MakeWebhook(spec, "topology." + dns, {"kai.scheduler", "v1alpha1", "topologies", true},
                  target("/validate-kai-scheduler-v1alpha1-topology"));
  Objects objects;
  objects.push_back(MakeWebhookConfiguration(api::kMutatingWebhooks,
                                             block.mutatingWebhookConfigurationName(),
                                             names.service, std::move(mutators), cluster));
  objects.push_back(MakeWebhookConfiguration(
      api::kValidatingWebhooks, block.validatingWebhookConfigurationName(), names.service,
      {std::move(validating), std::move(topology)}, cluster));
  objects.insert(objects.begin(), std::move(secret));
  return objects;
}

Args AdmissionArgs(view::kai::ConfigSpec spec) {
  const auto block = spec.admission();
  const auto webhook = block.webhook();
  Args args = {"--scheduler-name",
               std::string(spec.global().schedulerName()),
               "--webhook-addr",
               std::to_string(webhook.targetPort()),
               "--health-probe-bind-address",
               fmt::format(":{}", webhook.probePort()),
               "--metrics-bind-address",
               fmt::format(":{}", webhook.metricsPort())};
  if (block.gpuSharing()) args.push_back("--gpu-sharing-enabled=true");
  if (spec.binder().plugins()[binder::kHamiCore].enabled())
    args.push_back("--hami-core-enabled=true");
  if (block.blockNvidiaVisibleDevices()) args.push_back("--block-nvidia-visible-devices=true");
  if (block.has_gpuPodRuntimeClassName()) {
    args.push_back(fmt::format("--gpu-pod-runtime-class-name={}", block.gpuPodRuntimeClassName()));
  }
  if (block.has_gpuFractionRuntimeClassName()) {
    args.push_back(
        fmt::format("--gpu-fraction-runtime-class-name={}", block.gpuFractionRuntimeClassName()));
  }
  AddLeaderElection(block.replicas(1), args);
  AddClientFlags(block.service().k8sClientConfig(), args);
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> AdmissionObjects(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  const auto block = spec.admission();
  if (!IsEnabled(block.service())) return Objects();
  const ServiceInfo info{"admission", "admission", block.service(), block.replicas(1)};
  const WebhookNames names{info.name, "kai-admission-webhook-tls-secret"};
  const auto webhook = block.webhook();
  Desired deployment = MakeDeployment(spec, info, AdmissionArgs(spec));
  Recreate(deployment);
  MountSecret(deployment, names.secret);
  const edit::core::Container container = MainContainer(deployment);
  container.add_ports().set_name("webhook").set_containerPort(webhook.targetPort());
  container.readinessProbe().set_initialDelaySeconds(5);
  container.readinessProbe().httpGet().set_path("/readyz").set_port(webhook.probePort());
  Objects objects = {MakeServiceAccount(spec, info.name), std::move(deployment),
                     MakeService(spec, info.name,
                                 {{"webhook", webhook.port(), webhook.targetPort()},
                                  {"http-metrics", webhook.metricsPort(), webhook.metricsPort()}})};
  AddDisruptionBudget(spec, info, objects);
  AddAutoscaler(spec, info.name, block.vpa(), cluster, objects);
  COPPICE_ASSIGN(Objects webhooks, AdmissionWebhooks(spec, names, cluster));
  for (Desired& object : webhooks) objects.push_back(std::move(object));
  return objects;
}

}  // namespace coppice::services::platform
