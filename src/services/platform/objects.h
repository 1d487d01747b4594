#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/platform/operand.h"

// Building blocks of operands (spec/services.md 11.5).
namespace coppice::services::platform {

// The label of Deployments that the platform operator made.
inline constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManager = "kai-operator";

using Args = std::vector<std::string>;

// A service of the platform and where the Config speaks about it.
struct ServiceInfo {
  std::string name;       // Of its Deployment, service account and label `app`.
  std::string component;  // What `coppice run` calls it.
  const json::Value& block;
};

bool IsEnabled(const json::Value& block);
int64_t Replicas(const json::Value& block);

// An object of the platform in its namespace.
Desired NewObject(const api::Resource& resource, const json::Value& spec, std::string_view name);

Desired MakeServiceAccount(const json::Value& spec, std::string_view name);
// One container that runs the component.
Desired MakeDeployment(const json::Value& spec, const ServiceInfo& service, const Args& args);
// The same container, for other kinds of workload.
json::Value PodTemplate(const json::Value& spec, const ServiceInfo& service, const Args& args);
json::Value& MainContainer(Desired& workload);

// Stops all pods before it starts new ones.
void Recreate(Desired& deployment);
void MountSecret(Desired& deployment, std::string_view secret);

json::Value ServicePort(std::string_view name, const json::Value& port, const json::Value& target);
Desired MakeService(const json::Value& spec, std::string_view name, std::vector<json::Value> ports);

// Adds what the Config's toggles ask for: a disruption budget where there are several replicas, a
// vertical autoscaler where the cluster has them.
void AddDisruptionBudget(const json::Value& spec, std::string_view name, const json::Value& block,
                         Objects& objects);
void AddAutoscaler(const json::Value& spec, std::string_view name, const api::Resource& target,
                   const json::Value& block, const Surroundings& cluster, Objects& objects);

// Flags that many services have.
void AddClientFlags(const json::Value& client, Args& args);
void AddLeaderElection(const json::Value& block, Args& args);
void AddJsonLog(const json::Value& spec, Args& args);
std::string SelectorText(const json::Value& labels);

json::Value PullSecrets(const json::Value& spec);

}  // namespace coppice::services::platform
