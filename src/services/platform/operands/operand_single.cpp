// All services in one process.
#include <fmt/format.h>

#include "json/write.h"
#include "kube/object.h"
#include "services/platform/model/kinds.h"
#include "services/platform/model/objects.h"
#include "services/platform/operands/operands.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr const char* kName = "kai-services";
constexpr std::string_view kShardsAnnotation = "shards";
constexpr const char* kSecret = "kai-services-tls-secret";

// What `coppice run` starts: every service that is enabled.
Value Components(view::kai::ConfigSpec spec) {
  Value command = Value::Array({"coppice", "run"});
  const auto add = [&](auto block, const char* component) {
    if (IsEnabled(block.service())) command.Append(component);
  };
  add(spec.podGrouper(), "grouper");
  add(spec.podGroupController(), "podgroups");
  add(spec.queueController(), "queues");
  add(spec.admission(), "admission");
  add(spec.binder(), "binder");
  add(spec.nodeScaleAdjuster(), "scaleadjuster");
  add(spec.scheduler(), "scheduler");
  return command;
}

// A flag that several services have is given once; services that do not know a flag ignore it, as
// long as one of them does.
void Merge(const Args& more, Args& args) {
  for (size_t i = 0; i < more.size(); ++i) {
    const bool takes_next = more[i].find('=') == std::string::npos && i + 1 < more.size() &&
                            !more[i + 1].starts_with("--");
    std::string flag = more[i];
    if (takes_next) flag += "=" + more[++i];
    const std::string name = flag.substr(0, flag.find('='));
    bool known = false;
    for (const std::string& arg : args) known = known || arg.substr(0, arg.find('=')) == name;
    if (!known) args.push_back(flag);
  }
}

Args AllArgs(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  Args args;
  Merge(BinderArgs(spec, cluster), args);
  Merge(AdmissionArgs(spec), args);
  Merge(PodGrouperArgs(spec), args);
  Merge(PodGroupControllerArgs(spec), args);
  Merge(QueueControllerArgs(spec), args);
  Merge(ScaleAdjusterArgs(spec), args);
  // The scheduler reads its shards from the API.
  args.push_back(fmt::format("--namespace={}", spec.namespace_()));
  args.push_back("--plugin-server-port=8082");  // 8081, its default in a pod, is the probes'.
  return args;
}

}  // namespace

base::Result<Objects> SingleProcessObjects(view::kai::ConfigSpec spec,
                                           const Surroundings& cluster) {
  const auto webhook = spec.admission().webhook();
  const auto metrics = spec.queueController().controllerService().metrics();
  const auto scheduler = spec.scheduler();
  const ServiceInfo info{kName, "", scheduler.service(), scheduler.replicas(1)};
  Desired deployment = MakeDeployment(spec, info, AllArgs(spec, cluster));
  Recreate(deployment);
  MountSecret(deployment, kSecret);
  MainContainer(deployment).set_command(Components(spec));
  // Shards are read when the process starts: other shards, other pods.
  Value shards = Value::Object();
  for (const Value& shard : cluster.shards) {
    shards.Set(kube::Name(shard), kube::Generation(shard));
  }
  PodTemplateOf(deployment).metadata().annotations().Set(kShardsAnnotation, json::Write(shards));
  Objects objects = {MakeServiceAccount(spec, kName), std::move(deployment),
                     MakeService(spec, kName,
                                 {{"webhook", webhook.port(), webhook.targetPort()},
                                  {"metrics", metrics.port(), metrics.targetPort()}}),
                     ReservationAccount(spec, cluster)};
  const WebhookNames names{kName, kSecret};
  COPPICE_ASSIGN(Objects webhooks, AdmissionWebhooks(spec, names, cluster));
  // The three configurations share one certificate.
  Surroundings with_secret = cluster;
  const Desired secret = webhooks.front();
  with_secret.live = [&](const api::Resource& resource, const api::ObjectKey& key) {
    if (resource == api::kSecrets && key.name == kSecret) return std::optional(secret.object);
    return cluster.live ? cluster.live(resource, key) : std::nullopt;
  };
  for (const auto& more :
       {QueueWebhooks(spec, names, with_secret), PodGroupWebhooks(spec, names, with_secret)}) {
    COPPICE_TRY(more);
    webhooks.insert(webhooks.end(), more->begin() + 1, more->end());
  }
  for (Desired& object : webhooks) objects.push_back(std::move(object));
  return objects;
}

std::vector<Operand> ConfigOperands(view::kai::ConfigSpec spec) {
  std::vector<Operand> operands;
  if (spec.global().singleProcess()) {
    operands.push_back({"Services", SingleProcessObjects});
  } else {
    operands = {{"PodGrouper", PodGrouperObjects},
                {"Binder", BinderObjects},
                {"QueueController", QueueControllerObjects},
                {"PodGroupController", PodGroupControllerObjects},
                {"NodeScaleAdjuster", ScaleAdjusterObjects},
                {"KAIAdmission", AdmissionObjects},
                {"SchedulerForConfig", SchedulerAccount}};
  }
  operands.push_back({"KAI-prometheus", PrometheusObjects, MissingForPrometheus});
  operands.push_back({"NumaPlacementExporter", NumaExporterObjects});
  return operands;
}

}  // namespace coppice::services::platform
