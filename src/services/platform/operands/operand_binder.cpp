#include <fmt/format.h>

#include <algorithm>

#include "api/edit/core.h"
#include "api/edit/kai.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "api/view/nvidia.h"
#include "json/write.h"
#include "kube/object.h"
#include "services/binder/model/plugin_config.h"
#include "services/platform/model/config_defaults.h"
#include "services/platform/model/kinds.h"
#include "services/platform/model/version.h"
#include "services/platform/operands/operands.h"

namespace coppice::services::platform {
namespace {

using json::Value;

Value PluginJson(const binder::PluginConfig& config) {
  Value made;
  const edit::kai::BinderPlugin plugin(made);
  plugin.set_enabled(config.enabled).set_priority(config.priority);
  for (const auto& [name, value] : config.arguments) plugin.arguments().Set(name, value);
  return made;
}

// The binder's plugins with the Config's overrides: enabled and priority one by one, arguments as a
// whole.
Value BinderPlugins(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  const auto given = spec.binder();
  binder::PluginConfigs defaults = binder::DefaultPluginConfigs();
  if (given.has_volumeBindingTimeoutSeconds()) {
    for (const char* plugin : {binder::kVolumeBinding, binder::kDynamicResources}) {
      defaults[plugin].arguments[binder::kBindTimeoutArgument] =
          std::to_string(given.volumeBindingTimeoutSeconds());
    }
  }
  defaults[binder::kGpuSharing].arguments[binder::kCdiArgument] =
      CdiEnabled(spec, cluster) ? "true" : "false";
  Value plugins = Value::Object();
  for (const auto& [name, config] : defaults) plugins.Set(name, PluginJson(config));
  for (const auto& [name, overrides] : given.plugins()) {
    Value& plugin = plugins.Mutable(name);
    if (plugin.IsNull()) plugin = PluginJson({});
    for (const json::Member& part : overrides.Json().Members()) plugin.Set(part.name(), part.value);
  }
  return plugins;
}

void AddJson(Args& args, std::string_view flag, const Value& value) {
  if (value.empty()) return;
  args.push_back(std::string(flag));
  args.push_back(json::Write(value));
}

}  // namespace

bool CdiEnabled(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  const auto given = spec.binder();
  const auto arguments = given.plugins()[binder::kGpuSharing].arguments();
  if (arguments.Has(binder::kCdiArgument)) return arguments[binder::kCdiArgument] == "true";
  if (given.has_cdiEnabled()) return given.cdiEnabled();
  const auto cdi = view::nvidia::ClusterPolicy(cluster.cluster_policy).spec().cdi();
  if (!cdi.enabled()) return false;
  // From this release on CDI is the default where it is enabled at all.
  const std::string_view version = kube::Label(cluster.cluster_policy, api::labels::kAppVersion);
  return cdi.default_() || IsAtLeast(version, "v25.10.0");
}

Args BinderArgs(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  const auto block = spec.binder();
  const auto reservation = block.resourceReservation();
  Args args = {"--scheduler-name",
               std::string(spec.global().schedulerName()),
               "--resource-reservation-namespace",
               std::string(reservation.namespace_()),
               "--resource-reservation-service-account",
               std::string(reservation.serviceAccountName()),
               "--resource-reservation-app-label",
               std::string(reservation.appLabel()),
               "--resource-reservation-pod-image",
               ImageUrl(reservation.image()),
               "--resource-reservation-pod-command",
               "coppice run reservation",
               "--scale-adjust-namespace",
               std::string(spec.nodeScaleAdjuster().args().nodeScaleNamespace()),
               "--health-probe-bind-address",
               fmt::format(":{}", block.probePort()),
               "--metrics-bind-address",
               fmt::format(":{}", block.metricsPort()),
               "--plugins",
               json::Write(BinderPlugins(spec, cluster))};
  AddWorkers(block, args);
  if (reservation.has_allocationTimeout()) {
    args.push_back(fmt::format("--resource-reservation-allocation-timeout={}",
                               reservation.allocationTimeout()));
  }
  if (cluster.fake_gpu_nodes) args.push_back("--fake-gpu-nodes");
  AddLeaderElection(block.replicas(1), args);
  AddClientFlags(block.service().k8sClientConfig(), args);
  if (!reservation.runtimeClassName().empty()) {
    args.push_back(fmt::format("--runtime-class-name={}", reservation.runtimeClassName()));
  }
  AddJson(args, "--resource-reservation-pod-resources", reservation.podResources().Json());
  AddJson(args, "--resource-reservation-pod-security-context",
          reservation.reservationPodSecurityContext().Json());
  const Value& own = reservation.reservationContainerSecurityContext().Json();
  const auto global = spec.global();
  AddJson(args, "--resource-reservation-container-security-context",
          own.empty() && !global.openshift() ? global.securityContext().Json() : own);
  AddJsonLog(spec, args);
  return args;
}

base::Result<Objects> BinderObjects(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  const auto block = spec.binder();
  if (!IsEnabled(block.service())) return Objects();
  const ServiceInfo info{"binder", "binder", block.service(), block.replicas(1)};
  Desired deployment = MakeDeployment(spec, info, BinderArgs(spec, cluster));
  Recreate(deployment);
  Objects objects = {
      MakeServiceAccount(spec, info.name), std::move(deployment),
      MakeService(spec, info.name, {{"http-metrics", block.metricsPort(), block.metricsPort()}})};
  AddAutoscaler(spec, info.name, block.vpa(), cluster, objects);
  objects.push_back(ReservationAccount(spec, cluster));
  return objects;
}

Desired ReservationAccount(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  const auto reservation = spec.binder().resourceReservation();
  const std::string_view name = reservation.serviceAccountName();
  const std::string_view ns = reservation.namespace_();
  Desired made = MakeServiceAccount(spec, name);
  const edit::core::ServiceAccount account(made.object);
  account.metadata().set_namespace_(ns);
  // Others may have given the account secrets; those stay.
  const Value live = cluster.Live(api::kServiceAccounts, ns, name);
  Value secrets = view::core::ServiceAccount(live).imagePullSecrets().Json();
  if (!secrets.IsArray()) secrets = Value::Array();
  const Value ours = PullSecrets(spec);
  for (const Value& secret : ours.Items()) {
    if (std::ranges::find(secrets.Items(), secret) == secrets.Items().end()) {
      secrets.Append(secret);
    }
  }
  account.set_imagePullSecrets(std::move(secrets));
  return made;
}

}  // namespace coppice::services::platform
