#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/edit/core.h"
#include "api/labels.h"
#include "services/platform/model/operand.h"

// Building blocks of operands (docs/behaviour/platform.md K-87).
namespace coppice::services::platform {

// The label of Deployments created by the platform operator.
using api::labels::kManagedBy;
inline constexpr std::string_view kManager = "kai-operator";

using Args = std::vector<std::string>;

// A service of the platform and its part of the Config.
struct ServiceInfo {
  std::string name;       // Of its Deployment, service account and label `app`.
  std::string component;  // What `coppice run` calls it.
  view::kai::ConfigService settings;
  int64_t replicas = 1;
};

inline bool IsEnabled(view::kai::ConfigService settings) { return settings.enabled(true); }

// An object of the platform in its namespace.
Desired NewObject(const api::Resource& resource, view::kai::ConfigSpec spec, std::string_view name);

Desired MakeServiceAccount(view::kai::ConfigSpec spec, std::string_view name);
// One container that runs the component.
Desired MakeDeployment(view::kai::ConfigSpec spec, const ServiceInfo& service, const Args& args);
// The same container, for other kinds of workload.
void FillPodTemplate(view::kai::ConfigSpec spec, const ServiceInfo& service, const Args& args,
                     edit::core::PodTemplateSpec pod);
// Of a Deployment or a DaemonSet.
edit::core::PodTemplateSpec PodTemplateOf(Desired& workload);
edit::core::Container MainContainer(Desired& workload);
// An environment variable that holds a field of its pod.
void AddFieldVariable(edit::core::Container container, std::string_view name,
                      std::string_view field);

// Stops all pods before it starts new ones.
void Recreate(Desired& deployment);
void MountSecret(Desired& deployment, std::string_view secret);

struct Port {
  std::string_view name;
  int64_t port = 0;
  int64_t target = 0;
};
Desired MakeService(view::kai::ConfigSpec spec, std::string_view name,
                    const std::vector<Port>& ports);

// Adds what the Config enables: a disruption budget for several replicas, a vertical autoscaler if
// the cluster serves it.
void AddDisruptionBudget(view::kai::ConfigSpec spec, const ServiceInfo& service, Objects& objects);
void AddAutoscaler(view::kai::ConfigSpec spec, std::string_view name, view::kai::ConfigVpa vpa,
                   const Surroundings& cluster, Objects& objects);

// Flags that many services have.
void AddClientFlags(view::kai::ConfigClient client, Args& args);
void AddLeaderElection(int64_t replicas, Args& args);
void AddJsonLog(view::kai::ConfigSpec spec, Args& args);
template <typename Block>
void AddWorkers(Block block, Args& args) {
  if (!block.has_maxConcurrentReconciles()) return;
  args.push_back("--max-concurrent-reconciles=" + std::to_string(block.maxConcurrentReconciles()));
}
std::string SelectorText(view::Map<std::string_view> labels);

json::Value PullSecrets(view::kai::ConfigSpec spec);

}  // namespace coppice::services::platform
