#include <fmt/format.h>

#include "api/well_known.h"
#include "services/platform/operands.h"
#include "services/platform/webhooks.h"

namespace coppice::services::platform {
namespace {

using json::Value;

Value NamespaceSelector(const Value& spec) {
  const Value& global = spec["global"];
  Value expressions =
      Value::Array({Value::Object({{"key", "kubernetes.io/metadata.name"},
                                   {"operator", "NotIn"},
                                   {"values", Value::Array({"kube-system", spec["namespace"]})}})});
  if (spec["admission"]["queueLabelSelector"].AsBool()) {
    expressions.Append(Value::Object({{"key", global["queueLabelKey"]}, {"operator", "Exists"}}));
  }
  Value selector = Value::Object({{"matchExpressions", std::move(expressions)}});
  if (!global["namespaceLabelSelector"].empty()) {
    selector.Set("matchLabels", global["namespaceLabelSelector"]);
  }
  return selector;
}

// Only pods of our scheduler are sent at all.
void SelectPods(const Value& spec, Value& webhook) {
  const Value& global = spec["global"];
  webhook.Set("namespaceSelector", NamespaceSelector(spec));
  if (!global["podLabelSelector"].empty()) {
    webhook.Set("objectSelector", Value::Object({{"matchLabels", global["podLabelSelector"]}}));
  }
  webhook.Set("matchConditions",
              Value::Array({Value::Object(
                  {{"name", "scheduler-name-match"},
                   {"expression", fmt::format("object.spec.schedulerName == '{}'",
                                              global["schedulerName"].AsString())}})}));
}

}  // namespace

base::Result<Objects> AdmissionWebhooks(const Value& spec, const WebhookNames& names,
                                        const Surroundings& cluster) {
  const Value& block = spec["admission"];
  COPPICE_ASSIGN(Desired secret, CertificateSecret(spec, names.secret, names.service, cluster));
  const std::string dns = fmt::format("{}.{}.svc", names.service, spec["namespace"].AsString());
  const auto target = [&](std::string_view path) {
    return WebhookTarget{names.service, path, block["webhook"]["port"], CaBundle(secret)};
  };
  Value mutating =
      MakeWebhook(spec, dns, {"", "v1", "pods", false, false}, target("/mutate--v1-pod"));
  mutating.Set("reinvocationPolicy", "IfNeeded");
  SelectPods(spec, mutating);
  Value validating = MakeWebhook(spec, dns, {"", "v1", "pods"}, target("/validate--v1-pod"));
  SelectPods(spec, validating);
  Value topology =
      MakeWebhook(spec, "topology." + dns, {"kai.scheduler", "v1alpha1", "topologies", true},
                  target("/validate-kai-scheduler-v1alpha1-topology"));
  Objects objects;
  objects.push_back(MakeWebhookConfiguration(api::kMutatingWebhooks,
                                             block["mutatingWebhookConfigurationName"].AsString(),
                                             names.service, {std::move(mutating)}, cluster));
  objects.push_back(MakeWebhookConfiguration(
      api::kValidatingWebhooks, block["validatingWebhookConfigurationName"].AsString(),
      names.service, {std::move(validating), std::move(topology)}, cluster));
  objects.insert(objects.begin(), std::move(secret));
  return objects;
}

Args AdmissionArgs(const Value& spec) {
  const Value& block = spec["admission"];
  const Value& webhook = block["webhook"];
  Args args = {"--scheduler-name",
               spec["global"]["schedulerName"].ToString(),
               "--webhook-addr",
               std::to_string(webhook["targetPort"].AsInt()),
               "--health-probe-bind-address",
               fmt::format(":{}", webhook["probePort"].AsInt()),
               "--metrics-bind-address",
               fmt::format(":{}", webhook["metricsPort"].AsInt())};
  if (block["gpuSharing"].AsBool()) args.push_back("--gpu-sharing-enabled=true");
  if (spec["binder"]["plugins"]["hamicore"]["enabled"].AsBool()) {
    args.push_back("--hami-core-enabled=true");
  }
  if (block["blockNvidiaVisibleDevices"].AsBool()) {
    args.push_back("--block-nvidia-visible-devices=true");
  }
  for (const auto& [field, flag] :
       {std::pair{"gpuPodRuntimeClassName", "gpu-pod-runtime-class-name"},
        {"gpuFractionRuntimeClassName", "gpu-fraction-runtime-class-name"}}) {
    if (const Value* name = block.Find(field)) {
      args.push_back(fmt::format("--{}={}", flag, name->AsString()));
    }
  }
  AddLeaderElection(block, args);
  AddClientFlags(block["service"]["k8sClientConfig"], args);
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> AdmissionObjects(const Value& spec, const Surroundings& cluster) {
  const Value& block = spec["admission"];
  if (!IsEnabled(block)) return Objects();
  const ServiceInfo info{"admission", "admission", block};
  const WebhookNames names{info.name, "kai-admission-webhook-tls-secret"};
  const Value& webhook = block["webhook"];
  Desired deployment = MakeDeployment(spec, info, AdmissionArgs(spec));
  Recreate(deployment);
  MountSecret(deployment, names.secret);
  Value& container = MainContainer(deployment);
  container.Set("ports", Value::Array({Value::Object(
                             {{"name", "webhook"}, {"containerPort", webhook["targetPort"]}})}));
  container.Set(
      "readinessProbe",
      Value::Object(
          {{"httpGet", Value::Object({{"path", "/readyz"}, {"port", webhook["probePort"]}})},
           {"initialDelaySeconds", 5}}));
  Objects objects = {
      MakeServiceAccount(spec, info.name), std::move(deployment),
      MakeService(spec, info.name,
                  {ServicePort("webhook", webhook["port"], webhook["targetPort"]),
                   ServicePort("http-metrics", webhook["metricsPort"], webhook["metricsPort"])})};
  AddDisruptionBudget(spec, info.name, block, objects);
  AddAutoscaler(spec, info.name, api::kDeployments, block, cluster, objects);
  COPPICE_ASSIGN(Objects webhooks, AdmissionWebhooks(spec, names, cluster));
  for (Desired& object : webhooks) objects.push_back(std::move(object));
  return objects;
}

}  // namespace coppice::services::platform
