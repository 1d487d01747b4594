#include "stack/components.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/well_known.h"
#include "operator/operator.h"
#include "services/binder/controller.h"
#include "services/grouper/controller.h"
#include "services/nodes/nodes.h"
#include "services/podgroups/controller.h"
#include "services/queues/controller.h"
#include "services/scaleadjuster/controller.h"
#include "services/scheduler/shards.h"
#include "services/workloads/workloads.h"
#include "sim/node_agent.h"
#include "stack/bootstrap.h"

namespace coppice::stack {
namespace {

// Generated names must not repeat what an earlier process has generated.
uint64_t FreshSeed(const ComponentContext& context) {
  const auto now = context.manager.runtime().executor.Now().time_since_epoch().count();
  return static_cast<uint64_t>(now) + context.earlier_starts;
}

base::Status AddNodes(ComponentContext& context) {
  sim::AddNodeAgent(context.manager);
  return {};
}

base::Status AddWorkloads(ComponentContext& context) {
  services::workloads::AddToManager(context.manager);
  return {};
}

base::Status AddNodeLifecycle(ComponentContext& context) {
  services::nodes::AddToManager(context.manager);
  return {};
}

base::Status AddOperator(ComponentContext& context) {
  const operators::Config& config = context.operator_config;
  COPPICE_ASSIGN(std::shared_ptr<backends::Backends> backends,
                 backends::MakeBackends(context.manager, config.backends));
  COPPICE_TRY(operators::AddToManager(context.manager, config, backends));
  if (!context.backends_elsewhere) {
    COPPICE_TRY(backends::AddToManager(context.manager, *backends));
  }
  context.backends = backends;
  if (context.admission == nullptr) return {};
  context.admission->SetGrove(std::make_shared<const operators::webhooks::Admission>(
      config, backends, context.manager.runtime().client));
  return {};
}

base::Status AddAdmission(ComponentContext& context) {
  if (context.admission == nullptr) return {};
  context.admission->SetKai(std::make_shared<services::admission::Admission>(
      context.manager.runtime().client, context.services.admission, FreshSeed(context)));
  return {};
}

base::Status AddGrouper(ComponentContext& context) {
  services::grouper::AddToManager(context.manager, context.services.grouper);
  return {};
}

base::Status AddPodGroups(ComponentContext& context) {
  return services::podgroups::AddToManager(context.manager, context.services.podgroups);
}

base::Status AddQueues(ComponentContext& context) {
  services::queues::AddToManager(context.manager, context.services.queues);
  return {};
}

base::Status AddScheduler(ComponentContext& context) {
  const services::scheduler::Options& flags = context.services.scheduler;
  std::vector<services::scheduler::Options> schedulers = {flags};
  // A process that is told its shard serves that one alone.
  if (flags.config_path.empty() && flags.partition_label_value.empty()) {
    COPPICE_ASSIGN(services::scheduler::Shards shards,
                   services::scheduler::ReadShards(context.manager.runtime().client, flags));
    schedulers = shards.schedulers;
    COPPICE_TRY(
        services::scheduler::WatchShards(context.manager, std::move(shards), context.on_outdated));
  }
  for (services::scheduler::Options options : schedulers) {
    options.configuration.seed = FreshSeed(context);  // Each shard makes another one of it.
    options.own_cache = context.only == "scheduler" && !context.embedded;
    options.take_default_scheduler = context.embedded && options.partition_label_value.empty();
    COPPICE_TRY(services::scheduler::AddWithPluginServer(context.manager, std::move(options)));
  }
  return {};
}

base::Status AddBinder(ComponentContext& context) {
  return services::binder::AddToManager(context.manager, context.services.binder);
}

base::Status AddScaleAdjuster(ComponentContext& context) {
  services::scaleadjuster::AddToManager(context.manager, context.services.scaleadjuster);
  return {};
}

base::Status AddNumaExporter(ComponentContext& context) {
  return services::numaexporter::AddToManager(context.manager, context.services.numaexporter);
}

base::Status AddPlatform(ComponentContext& context) {
  services::platform::AddToManager(context.manager, context.services.platform);
  return {};
}

}  // namespace

operators::Config DefaultOperatorConfig() {
  operators::Config config;
  config.topology_aware_scheduling = true;
  config.backends = backends::AllBackends();
  return config;
}

services::AllOptions EmbeddedServiceOptions() {
  services::AllOptions options;
  options.admission.gpu_sharing_enabled = true;
  options.binder.runtime_class_name = kGpuRuntimeClass;
  return options;
}

const std::vector<Component>& Components() {
  static const std::vector<Component> components = {
      {"nodes", "simulated kubelets, for clusters without real ones", false, AddNodes},
      {"workloads", "Job, CronJob, ReplicaSet, Deployment and StatefulSet controllers, volumes",
       true, AddWorkloads},
      {"nodelifecycle", "marks nodes whose kubelet is silent, evicts pods from tainted nodes", true,
       AddNodeLifecycle},
      {"operator", "PodCliqueSets, and the backends that translate their gangs", false,
       AddOperator},
      {"admission", "validates and mutates pods, queues, pod groups and topologies", false,
       AddAdmission},
      {"grouper", "creates PodGroups from the owners of pods", false, AddGrouper},
      {"podgroups", "status of PodGroups", false, AddPodGroups},
      {"queues", "status of queues", false, AddQueues},
      {"scheduler", "decides which pods run where", false, AddScheduler},
      {"binder", "binds pods as the scheduler decided", false, AddBinder},
      {"scaleadjuster", "creates pods that make an autoscaler see requests for parts of GPUs",
       false, AddScaleAdjuster, false},
      {"numaexporter", "reports the NUMA placement of this node's pods to the scheduler", false,
       AddNumaExporter, false},
      {"platform", "deploys all of these from a Config and SchedulingShards", false, AddPlatform,
       false},
  };
  return components;
}

base::Result<std::vector<std::string>> ParseComponents(std::string_view text) {
  std::vector<std::string> known, all;
  for (const Component& component : Components()) {
    known.push_back(component.name);
    if (component.in_all) all.push_back(component.name);
  }
  if (text == "all") return all;
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

base::Status AddComponents(const std::vector<std::string>& names, ComponentContext& context) {
  if (names.size() == 1) context.only = names.front();
  for (const Component& component : Components()) {
    if (std::find(names.begin(), names.end(), component.name) == names.end()) continue;
    const base::Status added = component.add(context);
    if (!added) return added.error().During("starting " + component.name);
  }
  return {};
}

}  // namespace coppice::stack
