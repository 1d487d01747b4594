#include "sim/components.h"

#include <fmt/format.h>

#include <algorithm>

#include "operator/operator.h"
#include "services/binder/controller.h"
#include "services/grouper/controller.h"
#include "services/scheduler/service.h"
#include "services/workloads/workloads.h"
#include "sim/node_agent.h"

namespace coppice::sim {
namespace {

base::Status AddNodes(kube::Manager& manager) {
  AddNodeAgent(manager);
  return {};
}

base::Status AddWorkloads(kube::Manager& manager) {
  services::workloads::AddToManager(manager);
  return {};
}

base::Status AddOperator(kube::Manager& manager) {
  operators::Config config;
  config.topology_aware_scheduling = true;
  config.backends = backends::AllBackends();
  config.backends.default_profile = "kai-scheduler";
  return operators::AddToManager(manager, config);
}

base::Status AddGrouper(kube::Manager& manager) {
  services::grouper::AddToManager(manager, {});
  return {};
}

base::Status AddScheduler(kube::Manager& manager) {
  services::scheduler::AddToManager(manager, {});
  return {};
}

base::Status AddBinder(kube::Manager& manager) {
  return services::binder::AddToManager(manager, {.fake_gpu_nodes = true});
}

}  // namespace

const std::vector<Component>& Components() {
  static const std::vector<Component> components = {
      {"nodes", "simulated nodes that run what is bound to them", true, AddNodes},
      {"workloads", "Job, ReplicaSet, Deployment and StatefulSet controllers", true, AddWorkloads},
      {"operator", "PodCliqueSets, and the backends that translate their gangs", false,
       AddOperator},
      {"grouper", "PodGroups from the owners of pods", false, AddGrouper},
      {"scheduler", "decides which pods run where", false, AddScheduler},
      {"binder", "carries the scheduler's decisions out", false, AddBinder},
  };
  return components;
}

base::Result<std::vector<std::string>> ParseComponents(std::string_view text) {
  std::vector<std::string> known;
  for (const Component& component : Components()) known.push_back(component.name);
  if (text == "all") return known;
  std::vector<std::string> out;
  while (!text.empty() && text != "none") {
    const size_t comma = text.find(',');
    const std::string name(text.substr(0, comma));
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return base::InvalidArgument(
          fmt::format("unknown component \"{}\"; known are {}", name, fmt::join(known, ", ")));
    }
    out.push_back(name);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return out;
}

}  // namespace coppice::sim
