#include "services/platform/objects.h"

#include <fmt/format.h>

#include "kube/object.h"
#include "services/platform/affinity.h"
#include "services/platform/config_defaults.h"
#include "services/platform/kinds.h"

namespace coppice::services::platform {
namespace {

using json::Value;

void SetUnlessEmpty(Value& object, std::string_view key, const Value& value) {
  if (!value.empty() || !value.AsString().empty()) object.Set(key, value);
}

}  // namespace

bool IsEnabled(const Value& block) { return block["service"]["enabled"].AsBool(true); }

int64_t Replicas(const Value& block) { return block["replicas"].AsInt(1); }

Desired NewObject(const api::Resource& resource, const Value& spec, std::string_view name) {
  const std::string_view ns = resource.namespaced ? spec["namespace"].AsString() : "";
  return {resource, kube::NewObject(resource, ns, name)};
}

Desired MakeServiceAccount(const Value& spec, std::string_view name) {
  return NewObject(api::kServiceAccounts, spec, name);
}

Value PullSecrets(const Value& spec) {
  Value secrets = Value::Array();
  for (const Value& name : spec["global"]["additionalImagePullSecrets"].Items()) {
    secrets.Append(Value::Object({{"name", name}}));
  }
  return secrets;
}

Value PodTemplate(const Value& spec, const ServiceInfo& service, const Args& args) {
  const Value& global = spec["global"];
  const Value& settings = service.block["service"];
  Value container = Value::Object({{"name", service.name},
                                   {"image", ImageUrl(settings["image"])},
                                   {"imagePullPolicy", settings["image"]["pullPolicy"]},
                                   {"command", Value::Array({"coppice", "run", service.component})},
                                   {"resources", settings["resources"]}});
  for (const std::string& arg : args) container.Mutable("args").Append(arg);
  if (!global["openshift"].AsBool()) {
    SetUnlessEmpty(container, "securityContext", global["securityContext"]);
  }
  Value pod = Value::Object(
      {{"serviceAccountName", service.name}, {"containers", Value::Array({std::move(container)})}});
  SetUnlessEmpty(pod, "nodeSelector", global["nodeSelector"]);
  SetUnlessEmpty(pod, "tolerations", global["tolerations"]);
  SetUnlessEmpty(pod, "priorityClassName", global["priorityClassName"]);
  SetUnlessEmpty(pod, "imagePullSecrets", PullSecrets(spec));
  pod.Set("affinity", AffinityOf(service.name, settings["affinity"], global));
  return Value::Object(
      {{"metadata", Value::Object({{"labels", Value::Object({{"app", service.name}})}})},
       {"spec", std::move(pod)}});
}

Desired MakeDeployment(const Value& spec, const ServiceInfo& service, const Args& args) {
  Desired made = NewObject(api::kDeployments, spec, service.name);
  made.object.Mutable("metadata")
      .Set("labels", Value::Object({{"app", service.name}, {kManagedBy, kManager}}));
  made.object.Set(
      "spec",
      Value::Object(
          {{"replicas", Replicas(service.block)},
           {"selector", Value::Object({{"matchLabels", Value::Object({{"app", service.name}})}})},
           {"template", PodTemplate(spec, service, args)}}));
  return made;
}

Value& MainContainer(Desired& workload) {
  return workload.object.Mutable("spec")
      .Mutable("template")
      .Mutable("spec")
      .Mutable("containers")
      .MutableAt(0);
}

void Recreate(Desired& deployment) {
  deployment.object.Mutable("spec").Set("strategy", Value::Object({{"type", "Recreate"}}));
}

void MountSecret(Desired& deployment, std::string_view secret) {
  MainContainer(deployment)
      .Mutable("volumeMounts")
      .Append(Value::Object({{"name", "cert"},
                             {"readOnly", true},
                             {"mountPath", "/tmp/k8s-webhook-server/serving-certs"}}));
  deployment.object.Mutable("spec")
      .Mutable("template")
      .Mutable("spec")
      .Mutable("volumes")
      .Append(Value::Object(
          {{"name", "cert"},
           {"secret", Value::Object({{"secretName", secret}, {"defaultMode", 420}})}}));
}

Value ServicePort(std::string_view name, const Value& port, const Value& target) {
  return Value::Object(
      {{"name", name}, {"port", port}, {"protocol", "TCP"}, {"targetPort", target}});
}

Desired MakeService(const Value& spec, std::string_view name, std::vector<Value> ports) {
  Desired made = NewObject(api::kServices, spec, name);
  made.object.Set("spec", Value::Object({{"type", "ClusterIP"},
                                         {"sessionAffinity", "None"},
                                         {"selector", Value::Object({{"app", name}})},
                                         {"ports", Value::Array(std::move(ports))}}));
  return made;
}

void AddDisruptionBudget(const Value& spec, std::string_view name, const Value& block,
                         Objects& objects) {
  const Value& budget = block["service"]["podDisruptionBudget"];
  if (Replicas(block) < 2 || !budget["enabled"].AsBool()) return;
  Desired made = NewObject(kDisruptionBudgets, spec, name);
  made.object.Set(
      "spec", Value::Object({{"maxUnavailable", budget["maxUnavailable"]},
                             {"selector",
                              Value::Object({{"matchLabels", Value::Object({{"app", name}})}})}}));
  objects.push_back(std::move(made));
}

void AddAutoscaler(const Value& spec, std::string_view name, const api::Resource& target,
                   const Value& block, const Surroundings& cluster, Objects& objects) {
  const Value& vpa = block["vpa"];
  if (!cluster.serves_vpa || !vpa["enabled"].AsBool()) return;
  Desired made = NewObject(kVerticalAutoscalers, spec, name);
  Value& wanted = made.object.Mutable("spec");
  wanted.Set(
      "targetRef",
      Value::Object({{"apiVersion", target.ApiVersion()}, {"kind", target.kind}, {"name", name}}));
  SetUnlessEmpty(wanted, "updatePolicy", vpa["updatePolicy"]);
  SetUnlessEmpty(wanted, "resourcePolicy", vpa["resourcePolicy"]);
  objects.push_back(std::move(made));
}

void AddClientFlags(const Value& client, Args& args) {
  for (const char* flag : {"qps", "burst"}) {
    if (!client.Has(flag)) continue;
    args.push_back(fmt::format("--{}", flag));
    args.push_back(std::to_string(client[flag].AsInt()));
  }
}

void AddLeaderElection(const Value& block, Args& args) {
  if (Replicas(block) > 1) args.push_back("--leader-elect");
}

void AddJsonLog(const Value& spec, Args& args) {
  if (spec["global"]["jsonLog"].AsBool()) args.push_back("--zap-devel=false");
}

std::string SelectorText(const Value& labels) {
  std::string text;
  for (const json::Member& label : labels.Members()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", label.name(), label.value.AsString());
  }
  return text;
}

}  // namespace coppice::services::platform
