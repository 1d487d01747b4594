// The scheduler of one shard.
#include <fmt/format.h>

#include "api/edit/discovery.h"
#include "api/edit/kai.h"
#include "api/foreign/names.h"
#include "api/labels.h"
#include "api/view/coordination.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "services/common/shard.h"
#include "services/platform/model/objects.h"
#include "services/scheduler/options/flags.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr std::string_view kConfigPath = "/etc/config/config.yaml";
constexpr std::string_view kConfigFile = "config.yaml";
constexpr std::string_view kConfigVolume = "config";
constexpr std::string_view kConfigVersion = "configMapVersion";
constexpr std::string_view kMetricsPort = "http-metrics";
constexpr std::string_view kScrape = api::foreign::kPrometheusScrape;
using api::labels::kServiceName;
using api::labels::kSliceManagedBy;

// A store of past usage that names no address is the platform's own Prometheus.
base::Status ConnectUsage(view::kai::ConfigSpec spec, Value& usage_db) {
  const view::kai::ShardUsageDb given(usage_db);
  if (given.clientType() != "prometheus") return {};
  if (!given.connectionString().empty() || !given.connectionStringEnvVar().empty()) return {};
  const edit::kai::ShardUsageDb usage(usage_db);
  const auto prometheus = spec.prometheus();
  if (prometheus.enabled()) {
    usage.set_connectionString(
        fmt::format("http://usage-prometheus.{}.svc.cluster.local:9090", spec.namespace_()));
    return {};
  }
  if (prometheus.externalPrometheusUrl().empty()) {
    return base::InvalidArgument(
        "prometheus connection string not configured: either enable internal prometheus or "
        "configure external TSDB connection URL");
  }
  usage.set_connectionString(prometheus.externalPrometheusUrl());
  return {};
}

Args SchedulerArgs(view::kai::ConfigSpec spec, const Shard& shard) {
  const auto global = spec.global();
  const auto block = spec.scheduler();
  Args args = {fmt::format("--scheduler-conf={}", kConfigPath),
               fmt::format("--scheduler-name={}", global.schedulerName()),
               fmt::format("--namespace={}", spec.namespace_()),
               fmt::format("--nodepool-label-key={}", global.nodePoolLabelKey()),
               fmt::format("--partition-label-value={}", shard.partition_label_value),
               fmt::format("--resource-reservation-app-label={}",
                           spec.binder().resourceReservation().appLabel()),
               fmt::format("--queue-label-key={}", global.queueLabelKey()),
               fmt::format("--listen-address=:{}", block.schedulerService().targetPort())};
  if (spec.queueController().has_metricsNamespace()) {
    args.push_back(
        fmt::format("--metrics-namespace={}", spec.queueController().metricsNamespace()));
  }
  for (const auto& [flag, value] : shard.args) {
    if (scheduler::IsKnownFlag(flag)) args.push_back(fmt::format("--{}={}", flag, value));
  }
  if (block.replicas(1) > 1) args.push_back("--leader-elect=true");
  if (global.jsonLog()) args.push_back("--log-json");
  return args;
}

void FillEnv(view::kai::ConfigSpec spec, const Shard& shard, edit::core::Container container) {
  const auto add = [&](std::string_view name, std::string_view value) {
    container.add_env().set_name(name).set_value(value);
  };
  add("GOGC", std::to_string(spec.scheduler().GOGC().AsInt()));
  add("KAI_GOMEMLIMIT_RATIO", fmt::format("{}", shard.go_mem_limit_ratio));
  AddFieldVariable(container, "NAMESPACE", "metadata.namespace");
  if (!shard.go_mem_limit.empty()) add("GOMEMLIMIT", shard.go_mem_limit);
}

Desired SchedulerDeployment(view::kai::ConfigSpec spec, const ServiceInfo& info, const Shard& shard,
                            const Surroundings& cluster) {
  Desired made = MakeDeployment(spec, info, SchedulerArgs(spec, shard));
  Recreate(made);
  const edit::core::PodTemplateSpec pod = PodTemplateOf(made);
  // A new configuration rolls the pods.
  const Value config = cluster.Live(api::kConfigMaps, spec.namespace_(), info.name);
  pod.metadata().annotations().Set(kConfigVersion, kube::ResourceVersion(config));
  pod.spec().set_serviceAccountName("scheduler");
  pod.spec()
      .add_volumes()
      .set_name(kConfigVolume)
      .configMap()
      .set_name(info.name)
      .set_defaultMode(0644);
  const edit::core::Container container = MainContainer(made);
  FillEnv(spec, shard, container);
  container.add_volumeMounts()
      .set_name(kConfigVolume)
      .set_mountPath(kConfigPath)
      .set_subPath(kConfigFile);
  return made;
}

// Headless. With several replicas only the leader answers, so the endpoints are ours to name.
Desired SchedulerService(view::kai::ConfigSpec spec, const std::string& name) {
  const auto settings = spec.scheduler().schedulerService();
  Desired made = MakeService(spec, name, {{kMetricsPort, settings.port(), settings.targetPort()}});
  const edit::core::Service service(made.object);
  service.metadata().annotations().Set(kScrape, "true");
  service.spec().set_type(settings.type()).set_clusterIP("None");
  if (spec.scheduler().replicas(1) > 1) service.spec().clear_selector();
  return made;
}

// The pod that holds the lease; null when it cannot answer.
Value LeaderPod(view::kai::ConfigSpec spec, const Shard& shard, const Surroundings& cluster) {
  std::string name(spec.global().schedulerName());
  if (!shard.partition_label_value.empty()) name += "-" + shard.partition_label_value;
  const Value lease = cluster.Live(api::kLeases, spec.namespace_(), name);
  const std::string_view holder = view::coordination::Lease(lease).spec().holderIdentity();
  if (holder.empty()) return {};
  Value pod = cluster.Live(api::kPods, spec.namespace_(), holder.substr(0, holder.find('_')));
  if (kube::IsDeleting(pod) || view::core::Pod(pod).status().podIP().empty()) return {};
  return pod;
}

Desired LeaderEndpoints(view::kai::ConfigSpec spec, const std::string& name, const Shard& shard,
                        const Surroundings& cluster) {
  Desired made = NewObject(api::kEndpointSlices, spec, name + "-leader");
  const edit::discovery::EndpointSlice slice(made.object);
  slice.metadata().labels().Set(kServiceName, name).Set(kSliceManagedBy, kManager);
  slice.set_addressType("IPv4").set_endpoints(Value::Array());
  slice.add_ports()
      .set_name(kMetricsPort)
      .set_protocol("TCP")
      .set_port(spec.scheduler().schedulerService().targetPort());
  const Value leader = LeaderPod(spec, shard, cluster);
  if (leader.IsNull()) return made;
  const edit::discovery::Endpoint endpoint = slice.add_endpoints();
  endpoint.set_addresses(Value::Array({view::core::Pod(leader).status().podIP()}));
  endpoint.conditions().set_ready(true);
  endpoint.targetRef()
      .set_kind("Pod")
      .set_name(kube::Name(leader))
      .set_namespace_(kube::Namespace(leader));
  return made;
}

}  // namespace

std::string ShardName(view::kai::ConfigSpec spec, const Value& shard) {
  return fmt::format("{}-{}", spec.global().schedulerName(), kube::Name(shard));
}

base::Result<Desired> ShardConfigMap(view::kai::ConfigSpec spec, const Value& object) {
  COPPICE_ASSIGN(Shard shard, ReadShard(object));
  COPPICE_TRY(ConnectUsage(spec, shard.usage_db));
  Desired made = NewObject(api::kConfigMaps, spec, ShardName(spec, object));
  edit::core::ConfigMap(made.object)
      .data()
      .Set(kConfigFile, json::WriteYaml(SchedulerConfiguration(shard)));
  return made;
}

base::Result<Objects> ShardObjects(view::kai::ConfigSpec spec, const Value& object,
                                   const Surroundings& cluster) {
  const auto block = spec.scheduler();
  if (!IsEnabled(block.service())) return Objects();
  COPPICE_ASSIGN(const Shard shard, ReadShard(object));
  const ServiceInfo info{ShardName(spec, object), "scheduler", block.service(), block.replicas(1)};
  COPPICE_ASSIGN(Desired config, ShardConfigMap(spec, object));
  Objects objects = {std::move(config), SchedulerService(spec, info.name)};
  if (!spec.global().singleProcess()) {
    objects.push_back(SchedulerDeployment(spec, info, shard, cluster));
    AddDisruptionBudget(spec, info, objects);
    AddAutoscaler(spec, info.name, block.vpa(), cluster, objects);
  }
  if (info.replicas > 1) objects.push_back(LeaderEndpoints(spec, info.name, shard, cluster));
  return objects;
}

}  // namespace coppice::services::platform
