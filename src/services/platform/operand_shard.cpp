// The scheduler of one shard.
#include <fmt/format.h>

#include "api/well_known.h"
#include "json/yaml.h"
#include "kube/object.h"
#include "services/platform/objects.h"
#include "services/platform/shard.h"
#include "services/scheduler/flags.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr const char* kConfigPath = "/etc/config/config.yaml";

// A store of past usage that names no address is the platform's own Prometheus.
base::Status ConnectUsage(const Value& spec, Value& usage) {
  if (usage["clientType"].AsString() != "prometheus") return {};
  if (!usage["connectionString"].AsString().empty() ||
      !usage["connectionStringEnvVar"].AsString().empty()) {
    return {};
  }
  const Value& prometheus = spec["prometheus"];
  if (prometheus["enabled"].AsBool()) {
    usage.Set("connectionString", fmt::format("http://usage-prometheus.{}.svc.cluster.local:9090",
                                              spec["namespace"].AsString()));
    return {};
  }
  const std::string url = prometheus["externalPrometheusUrl"].ToString();
  if (url.empty()) {
    return base::InvalidArgument(
        "prometheus connection string not configured: either enable internal prometheus or "
        "configure external TSDB connection URL");
  }
  usage.Set("connectionString", url);
  return {};
}

Args SchedulerArgs(const Value& spec, const Shard& shard) {
  const Value& global = spec["global"];
  const Value& block = spec["scheduler"];
  Args args = {
      fmt::format("--scheduler-conf={}", kConfigPath),
      fmt::format("--scheduler-name={}", global["schedulerName"].AsString()),
      fmt::format("--namespace={}", spec["namespace"].AsString()),
      fmt::format("--nodepool-label-key={}", global["nodePoolLabelKey"].AsString()),
      fmt::format("--partition-label-value={}", shard.partition_label_value),
      fmt::format("--resource-reservation-app-label={}",
                  spec["binder"]["resourceReservation"]["appLabel"].AsString()),
      fmt::format("--queue-label-key={}", global["queueLabelKey"].AsString()),
      fmt::format("--listen-address=:{}", block["schedulerService"]["targetPort"].AsInt())};
  if (const Value* ns = spec["queueController"].Find("metricsNamespace")) {
    args.push_back(fmt::format("--metrics-namespace={}", ns->AsString()));
  }
  for (const auto& [flag, value] : shard.args) {
    if (scheduler::IsKnownFlag(flag)) args.push_back(fmt::format("--{}={}", flag, value));
  }
  if (Replicas(block) > 1) args.push_back("--leader-elect=true");
  if (global["jsonLog"].AsBool()) args.push_back("--log-json");
  return args;
}

Value Env(const Value& spec, const Shard& shard) {
  const auto variable = [](std::string_view name, std::string value) {
    return Value::Object({{"name", name}, {"value", std::move(value)}});
  };
  Value env = Value::Array(
      {variable("GOGC", std::to_string(spec["scheduler"]["GOGC"].AsInt())),
       variable("KAI_GOMEMLIMIT_RATIO", fmt::format("{}", shard.go_mem_limit_ratio)),
       Value::Object({{"name", "NAMESPACE"},
                      {"valueFrom",
                       Value::Object({{"fieldRef",
                                       Value::Object({{"apiVersion", "v1"},
                                                      {"fieldPath", "metadata.namespace"}})}})}})});
  if (!shard.go_mem_limit.empty()) env.Append(variable("GOMEMLIMIT", shard.go_mem_limit));
  return env;
}

Desired SchedulerDeployment(const Value& spec, const std::string& name, const Shard& shard,
                            const Surroundings& cluster) {
  Desired made =
      MakeDeployment(spec, {name, "scheduler", spec["scheduler"]}, SchedulerArgs(spec, shard));
  Recreate(made);
  Value& pod = made.object.Mutable("spec").Mutable("template");
  // A new configuration rolls the pods.
  const Value config = cluster.Live(api::kConfigMaps, spec["namespace"].AsString(), name);
  pod.Mutable("metadata")
      .Set("annotations", Value::Object({{"configMapVersion", kube::ResourceVersion(config)}}));
  pod.Mutable("spec").Set("serviceAccountName", "scheduler");
  pod.Mutable("spec").Set(
      "volumes", Value::Array({Value::Object(
                     {{"name", "config"},
                      {"configMap", Value::Object({{"name", name}, {"defaultMode", 420}})}})}));
  Value& container = MainContainer(made);
  container.Set("env", Env(spec, shard));
  container.Set(
      "volumeMounts",
      Value::Array({Value::Object(
          {{"name", "config"}, {"mountPath", kConfigPath}, {"subPath", "config.yaml"}})}));
  return made;
}

// Headless. With several replicas only the leader answers, so the endpoints are ours to name.
Desired SchedulerService(const Value& spec, const std::string& name) {
  const Value& settings = spec["scheduler"]["schedulerService"];
  Desired made = MakeService(
      spec, name, {ServicePort("http-metrics", settings["port"], settings["targetPort"])});
  made.object.Mutable("metadata")
      .Set("annotations", Value::Object({{"prometheus.io/scrape", "true"}}));
  Value& wanted = made.object.Mutable("spec");
  wanted.Set("type", settings["type"]);
  wanted.Set("clusterIP", "None");
  if (Replicas(spec["scheduler"]) > 1) wanted.Erase("selector");
  return made;
}

// The pod that holds the lease; null when it cannot answer.
Value LeaderPod(const Value& spec, const Shard& shard, const Surroundings& cluster) {
  std::string lease = spec["global"]["schedulerName"].ToString();
  if (!shard.partition_label_value.empty()) lease += "-" + shard.partition_label_value;
  const std::string_view ns = spec["namespace"].AsString();
  const std::string holder =
      cluster.Live(api::kLeases, ns, lease)["spec"]["holderIdentity"].ToString();
  if (holder.empty()) return {};
  const Value pod = cluster.Live(api::kPods, ns, holder.substr(0, holder.find('_')));
  if (kube::IsDeleting(pod) || pod["status"]["podIP"].AsString().empty()) return {};
  return pod;
}

Desired LeaderEndpoints(const Value& spec, const std::string& name, const Shard& shard,
                        const Surroundings& cluster) {
  Desired made = NewObject(api::kEndpointSlices, spec, name + "-leader");
  made.object.Mutable("metadata")
      .Set("labels", Value::Object({{"kubernetes.io/service-name", name},
                                    {"endpointslice.kubernetes.io/managed-by", "kai-operator"}}));
  made.object.Set("addressType", "IPv4");
  made.object.Set("ports", Value::Array({Value::Object(
                               {{"name", "http-metrics"},
                                {"protocol", "TCP"},
                                {"port", spec["scheduler"]["schedulerService"]["targetPort"]}})}));
  Value endpoints = Value::Array();
  if (const Value pod = LeaderPod(spec, shard, cluster); !pod.IsNull()) {
    endpoints.Append(
        Value::Object({{"addresses", Value::Array({pod["status"]["podIP"]})},
                       {"conditions", Value::Object({{"ready", true}})},
                       {"targetRef", Value::Object({{"kind", "Pod"},
                                                    {"name", kube::Name(pod)},
                                                    {"namespace", kube::Namespace(pod)}})}}));
  }
  made.object.Set("endpoints", std::move(endpoints));
  return made;
}

}  // namespace

std::string ShardName(const Value& spec, const Value& shard) {
  return fmt::format("{}-{}", spec["global"]["schedulerName"].AsString(), kube::Name(shard));
}

base::Result<Desired> ShardConfigMap(const Value& spec, const Value& object) {
  COPPICE_ASSIGN(Shard shard, ReadShard(object));
  COPPICE_TRY(ConnectUsage(spec, shard.usage_db));
  Desired made = NewObject(api::kConfigMaps, spec, ShardName(spec, object));
  made.object.Set("data",
                  Value::Object({{"config.yaml", json::WriteYaml(SchedulerConfiguration(shard))}}));
  return made;
}

base::Result<Objects> ShardObjects(const Value& spec, const Value& object,
                                   const Surroundings& cluster) {
  if (!IsEnabled(spec["scheduler"])) return Objects();
  COPPICE_ASSIGN(const Shard shard, ReadShard(object));
  const std::string name = ShardName(spec, object);
  COPPICE_ASSIGN(Desired config, ShardConfigMap(spec, object));
  Objects objects = {std::move(config), SchedulerService(spec, name)};
  if (!spec["global"]["singleProcess"].AsBool()) {
    objects.push_back(SchedulerDeployment(spec, name, shard, cluster));
    AddDisruptionBudget(spec, name, spec["scheduler"], objects);
    AddAutoscaler(spec, name, api::kDeployments, spec["scheduler"], cluster, objects);
  }
  if (Replicas(spec["scheduler"]) > 1) {
    objects.push_back(LeaderEndpoints(spec, name, shard, cluster));
  }
  return objects;
}

}  // namespace coppice::services::platform
