#include "services/platform/model/objects.h"

#include <fmt/format.h>

#include "api/edit/apps.h"
#include "api/edit/policy.h"
#include "api/edit/vpa.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/platform/model/affinity.h"
#include "services/platform/model/config_defaults.h"
#include "services/platform/model/kinds.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr const char* kCertificateVolume = "cert";

void FillContainer(view::kai::ConfigSpec spec, const ServiceInfo& service, const Args& args,
                   edit::core::Container container) {
  const auto image = service.settings.image();
  container.set_name(service.name)
      .set_image(ImageUrl(image))
      .set_imagePullPolicy(image.pullPolicy())
      .set_command(Value::Array({"coppice", "run", service.component}))
      .set_resources(service.settings.resources().Json());
  if (!args.empty()) container.set_args(Value::Array({args.begin(), args.end()}));
  const Value& security = spec.global().securityContext().Json();
  if (!spec.global().openshift() && !security.empty()) container.set_securityContext(security);
}

}  // namespace

Desired NewObject(const api::Resource& resource, view::kai::ConfigSpec spec,
                  std::string_view name) {
  const std::string_view ns = resource.namespaced ? spec.namespace_() : "";
  return {resource, kube::NewObject(resource, ns, name)};
}

Desired MakeServiceAccount(view::kai::ConfigSpec spec, std::string_view name) {
  return NewObject(api::kServiceAccounts, spec, name);
}

Value PullSecrets(view::kai::ConfigSpec spec) {
  Value secrets = Value::Array();
  const edit::List<edit::core::LocalObjectReference> list(secrets);
  for (const std::string_view name : spec.global().additionalImagePullSecrets()) {
    list.Add().set_name(name);
  }
  return secrets;
}

void FillPodTemplate(view::kai::ConfigSpec spec, const ServiceInfo& service, const Args& args,
                     edit::core::PodTemplateSpec pod) {
  const view::kai::ConfigGlobal global = spec.global();
  pod.metadata().labels().Set(names::kAppLabel, service.name);
  const edit::core::PodSpec wanted = pod.spec();
  wanted.set_serviceAccountName(service.name);
  FillContainer(spec, service, args, wanted.add_containers());
  const Value &selector = global.nodeSelector().Json(), &tolerations = global.tolerations().Json();
  if (!selector.empty()) wanted.set_nodeSelector(selector);
  if (!tolerations.empty()) wanted.set_tolerations(tolerations);
  if (!global.priorityClassName().empty()) {
    wanted.set_priorityClassName(global.priorityClassName());
  }
  if (Value secrets = PullSecrets(spec); !secrets.empty()) {
    wanted.set_imagePullSecrets(std::move(secrets));
  }
  wanted.set_affinity(AffinityOf(service.name, service.settings.affinity(), global));
}

Desired MakeDeployment(view::kai::ConfigSpec spec, const ServiceInfo& service, const Args& args) {
  Desired made = NewObject(api::kDeployments, spec, service.name);
  const edit::apps::Deployment deployment(made.object);
  deployment.metadata().labels().Set(names::kAppLabel, service.name).Set(kManagedBy, kManager);
  deployment.spec().set_replicas(service.replicas);
  deployment.spec().selector().matchLabels().Set(names::kAppLabel, service.name);
  FillPodTemplate(spec, service, args, deployment.spec().template_());
  return made;
}

edit::core::PodTemplateSpec PodTemplateOf(Desired& workload) {
  // A DaemonSet has it in the same place.
  return edit::apps::Deployment(workload.object).spec().template_();
}

edit::core::Container MainContainer(Desired& workload) {
  return PodTemplateOf(workload).spec().containers().At(0);
}

void AddFieldVariable(edit::core::Container container, std::string_view name,
                      std::string_view field) {
  const auto variable = container.add_env();
  variable.set_name(name).valueFrom().fieldRef().set_apiVersion("v1").set_fieldPath(field);
}

void Recreate(Desired& deployment) {
  edit::apps::Deployment(deployment.object).spec().strategy().set_type("Recreate");
}

void MountSecret(Desired& deployment, std::string_view secret) {
  MainContainer(deployment)
      .add_volumeMounts()
      .set_name(kCertificateVolume)
      .set_readOnly(true)
      .set_mountPath("/tmp/k8s-webhook-server/serving-certs");
  PodTemplateOf(deployment)
      .spec()
      .add_volumes()
      .set_name(kCertificateVolume)
      .secret()
      .set_secretName(secret)
      .set_defaultMode(0644);
}

Desired MakeService(view::kai::ConfigSpec spec, std::string_view name,
                    const std::vector<Port>& ports) {
  Desired made = NewObject(api::kServices, spec, name);
  const edit::core::ServiceSpec wanted = edit::core::Service(made.object).spec();
  wanted.set_type("ClusterIP").set_sessionAffinity("None");
  wanted.selector().Set(names::kAppLabel, name);
  for (const Port& port : ports) {
    wanted.add_ports().set_name(port.name).set_port(port.port).set_protocol("TCP").set_targetPort(
        port.target);
  }
  return made;
}

void AddDisruptionBudget(view::kai::ConfigSpec spec, const ServiceInfo& service, Objects& objects) {
  const auto budget = service.settings.podDisruptionBudget();
  if (service.replicas < 2 || !budget.enabled()) return;
  Desired made = NewObject(kDisruptionBudgets, spec, service.name);
  const auto wanted = edit::policy::PodDisruptionBudget(made.object).spec();
  wanted.set_maxUnavailable(budget.maxUnavailable());
  wanted.selector().matchLabels().Set(names::kAppLabel, service.name);
  objects.push_back(std::move(made));
}

void AddAutoscaler(view::kai::ConfigSpec spec, std::string_view name, view::kai::ConfigVpa vpa,
                   const Surroundings& cluster, Objects& objects) {
  if (!cluster.serves_vpa || !vpa.enabled()) return;
  Desired made = NewObject(kVerticalAutoscalers, spec, name);
  const auto wanted = edit::vpa::VerticalPodAutoscaler(made.object).spec();
  wanted.targetRef()
      .set_apiVersion(api::kDeployments.ApiVersion())
      .set_kind(api::kDeployments.kind)
      .set_name(name);
  const Value &update = vpa.updatePolicy().Json(), &resources = vpa.resourcePolicy().Json();
  if (!update.empty()) wanted.set_updatePolicy(update);
  if (!resources.empty()) wanted.set_resourcePolicy(resources);
  objects.push_back(std::move(made));
}

void AddClientFlags(view::kai::ConfigClient client, Args& args) {
  if (client.has_qps()) args.insert(args.end(), {"--qps", std::to_string(client.qps())});
  if (client.has_burst()) args.insert(args.end(), {"--burst", std::to_string(client.burst())});
}

void AddLeaderElection(int64_t replicas, Args& args) {
  if (replicas > 1) args.push_back("--leader-elect");
}

void AddJsonLog(view::kai::ConfigSpec spec, Args& args) {
  if (spec.global().jsonLog()) args.push_back("--zap-devel=false");
}

std::string SelectorText(view::Map<std::string_view> labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  }
  return text;
}

}  // namespace coppice::services::platform
