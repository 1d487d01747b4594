#include <fmt/format.h>

#include "json/write.h"
#include "kube/object.h"
#include "services/platform/config_defaults.h"
#include "services/platform/kinds.h"
#include "services/platform/operands.h"
#include "services/platform/version.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr int kVolumeTimeoutSeconds = 120;

Value Plugin(bool enabled, int priority, Value arguments) {
  Value plugin = Value::Object({{"enabled", enabled}, {"priority", priority}});
  if (!arguments.empty()) plugin.Set("arguments", std::move(arguments));
  return plugin;
}

// The binder's plugins with the Config's overrides: enabled and priority one by one, arguments as a
// whole.
Value BinderPlugins(const Value& spec, const Surroundings& cluster) {
  const Value& binder = spec["binder"];
  const Value timeout = Value::Object(
      {{"bindTimeoutSeconds",
        std::to_string(binder["volumeBindingTimeoutSeconds"].AsInt(kVolumeTimeoutSeconds))}});
  Value plugins = Value::Object(
      {{"volumebinding", Plugin(true, 300, timeout)},
       {"dynamicresources", Plugin(true, 200, timeout)},
       {"gpusharing",
        Plugin(true, 100,
               Value::Object({{"cdiEnabled", CdiEnabled(spec, cluster) ? "true" : "false"}}))},
       {"hamicore", Plugin(false, 50, {})}});
  for (const json::Member& given : binder["plugins"].Members()) {
    Value& plugin = plugins.Mutable(given.name());
    if (plugin.IsNull()) plugin = Plugin(true, 0, {});
    for (const json::Member& part : given.value.Members()) plugin.Set(part.name(), part.value);
  }
  return plugins;
}

void AddJson(Args& args, std::string_view flag, const Value& value) {
  if (value.empty()) return;
  args.push_back(std::string(flag));
  args.push_back(json::Write(value));
}

}  // namespace

bool CdiEnabled(const Value& spec, const Surroundings& cluster) {
  const Value& binder = spec["binder"];
  const Value& argument = binder["plugins"]["gpusharing"]["arguments"]["cdiEnabled"];
  if (argument.IsString()) return argument.AsString() == "true";
  if (binder["cdiEnabled"].IsBool()) return binder["cdiEnabled"].AsBool();
  const Value& cdi = cluster.cluster_policy["spec"]["cdi"];
  if (!cdi["enabled"].AsBool()) return false;
  // From this release on CDI is the default where it is enabled at all.
  const std::string_view version = kube::Label(cluster.cluster_policy, "app.kubernetes.io/version");
  return cdi["default"].AsBool() || IsAtLeast(version, "v25.10.0");
}

Args BinderArgs(const Value& spec, const Surroundings& cluster) {
  const Value& binder = spec["binder"];
  const Value& reservation = binder["resourceReservation"];
  Args args = {"--scheduler-name",
               spec["global"]["schedulerName"].ToString(),
               "--resource-reservation-namespace",
               reservation["namespace"].ToString(),
               "--resource-reservation-service-account",
               reservation["serviceAccountName"].ToString(),
               "--resource-reservation-app-label",
               reservation["appLabel"].ToString(),
               "--resource-reservation-pod-image",
               ImageUrl(reservation["image"]),
               "--resource-reservation-pod-command",
               "coppice run reservation",
               "--scale-adjust-namespace",
               spec["nodeScaleAdjuster"]["args"]["nodeScaleNamespace"].ToString(),
               "--health-probe-bind-address",
               fmt::format(":{}", binder["probePort"].AsInt()),
               "--metrics-bind-address",
               fmt::format(":{}", binder["metricsPort"].AsInt()),
               "--plugins",
               json::Write(BinderPlugins(spec, cluster))};
  const auto number = [&](const char* flag, const Value& value) {
    if (value.IsNumber()) args.push_back(fmt::format("--{}={}", flag, value.AsInt()));
  };
  number("max-concurrent-reconciles", binder["maxConcurrentReconciles"]);
  number("resource-reservation-allocation-timeout", reservation["allocationTimeout"]);
  if (cluster.fake_gpu_nodes) args.push_back("--fake-gpu-nodes");
  AddLeaderElection(binder, args);
  AddClientFlags(binder["service"]["k8sClientConfig"], args);
  if (const std::string runtime = reservation["runtimeClassName"].ToString(); !runtime.empty()) {
    args.push_back("--runtime-class-name=" + runtime);
  }
  AddJson(args, "--resource-reservation-pod-resources", reservation["podResources"]);
  AddJson(args, "--resource-reservation-pod-security-context",
          reservation["reservationPodSecurityContext"]);
  const Value& own = reservation["reservationContainerSecurityContext"];
  const bool openshift = spec["global"]["openshift"].AsBool();
  AddJson(args, "--resource-reservation-container-security-context",
          own.empty() && !openshift ? spec["global"]["securityContext"] : own);
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> BinderObjects(const Value& spec, const Surroundings& cluster) {
  const Value& block = spec["binder"];
  if (!IsEnabled(block)) return Objects();
  const ServiceInfo info{"binder", "binder", block};
  Desired deployment = MakeDeployment(spec, info, BinderArgs(spec, cluster));
  Recreate(deployment);
  Objects objects = {
      MakeServiceAccount(spec, info.name), std::move(deployment),
      MakeService(spec, info.name,
                  {ServicePort("http-metrics", block["metricsPort"], block["metricsPort"])})};
  AddAutoscaler(spec, info.name, api::kDeployments, block, cluster, objects);
  objects.push_back(ReservationAccount(spec, cluster));
  return objects;
}

Desired ReservationAccount(const Value& spec, const Surroundings& cluster) {
  const Value& reservation = spec["binder"]["resourceReservation"];
  const std::string_view name = reservation["serviceAccountName"].AsString();
  const std::string_view ns = reservation["namespace"].AsString();
  Desired account = MakeServiceAccount(spec, name);
  account.object.Mutable("metadata").Set("namespace", ns);
  // Others may have given the account secrets; those stay.
  Value secrets = cluster.Live(api::kServiceAccounts, ns, name)["imagePullSecrets"];
  if (!secrets.IsArray()) secrets = Value::Array();
  const auto has = [&](const Value& secret) {
    for (const Value& known : secrets.Items()) {
      if (known == secret) return true;
    }
    return false;
  };
  const Value ours = PullSecrets(spec);
  for (const Value& secret : ours.Items()) {
    if (!has(secret)) secrets.Append(secret);
  }
  account.object.Set("imagePullSecrets", std::move(secrets));
  return account;
}

}  // namespace coppice::services::platform
