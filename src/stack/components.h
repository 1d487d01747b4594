#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sync/component.h"
#include "base/result.h"
#include "kube/process/manager.h"
#include "operator/runtime/config.h"
#include "services/flags.h"
#include "stack/embedded_admission.h"

namespace coppice::stack {

// What components are started with.
struct ComponentContext {
  kube::Manager& manager;
  // Where admission goes in the embedded server; null on a real cluster, which calls webhooks.
  EmbeddedAdmission* admission = nullptr;
  operators::Config operator_config;
  services::AllOptions services;  // As flags set them.
  // The backends' controllers run in processes of their own.
  bool backends_elsewhere = false;
  // Set by the operator: what follows changes of its configuration while it runs.
  std::shared_ptr<backends::Backends> backends = nullptr;
  // How often components were started before at what may be the same moment of a virtual clock.
  uint64_t earlier_starts = 0;
  std::string only;       // The component that has the process to itself; empty: several share it.
  bool embedded = false;  // Nobody else runs on this cluster, no default scheduler either.
  // Components were started for a state of the cluster that is no longer so: whoever can starts
  // them afresh.
  std::function<void()> on_outdated = [] {};
};

// The operator's configuration when no file gives one: every backend on, our own scheduler the
// default, topology-aware.
operators::Config DefaultOperatorConfig();

// What flags do not change in the embedded cluster: pods may share GPUs, and use the runtime class
// that the cluster has from the start.
services::AllOptions EmbeddedServiceOptions();

// One part of the product that can run by itself against any cluster.
struct Component {
  std::string name;
  std::string about;
  bool embedded_only = false;  // Stands in for what a real cluster has.
  base::Status (*add)(ComponentContext& context);
  bool in_all = true;  // False: only when asked for by name.
};

// All of them, in start order.
const std::vector<Component>& Components();

// "all", "none" or a comma-separated list of names.
base::Result<std::vector<std::string>> ParseComponents(std::string_view text);

// Adds the named components to the manager, in start order.
base::Status AddComponents(const std::vector<std::string>& names, ComponentContext& context);

}  // namespace coppice::stack
