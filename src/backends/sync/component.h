#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/framework/backend.h"
#include "backends/framework/config.h"
#include "backends/framework/gates.h"
#include "backends/framework/registry.h"
#include "backends/framework/selection.h"
#include "backends/gangs/topology_sync.h"
#include "kube/process/manager.h"

namespace coppice::backends {

// All backends behind one door: what the operator asks while it builds gangs and pods. One per
// process; thread-safe; valid as long as the manager that it was made from.
//
//   auto selection = backends.Select(set);             // at admission and for the gang's labels
//   auto status = backends.PreparePod(set, clique, 3, pod);
//   ReleaseDecision decision = backends.CheckRelease(pod);
class Backends {
 public:
  virtual ~Backends() = default;

  // The backend for a set: annotation grove.io/scheduler-backend on the set, else the one
  // schedulerName of its templates, else the default profile. Cached per uid and generation until
  // the configuration changes. Fails with kInvalid: no such backend, several match, mixed names.
  virtual base::Result<Selection> Select(const json::Value& pod_clique_set) = 0;
  // The same for a gang, by its labels.
  virtual base::Result<Selection> SelectForGang(const json::Value& pod_gang) = 0;

  // Labels that tell a gang's backend, for the PodGang object.
  virtual json::Value GangLabels(const Selection& selection) = 0;
  // Annotations that its backend wants on the PodGang object; never remove these.
  virtual json::Value GangAnnotations(const Selection& selection) = 0;

  // Completes a new pod of PodClique `clique` (labels set already): schedulerName, priority class,
  // gate, and all that the backend wants. kUnavailable: the PodGang must exist first (its uid is
  // part of what pods carry), or its objects are being replaced, try again. `index` is the pod's
  // index within its clique.
  virtual base::Status PreparePod(const json::Value& pod_clique_set, const json::Value& clique,
                                  int64_t index, json::Value& pod) = 0;

  // What is wrong with a set for its backend; empty when nothing. Translates every gang of the
  // set without writing, so that what would be refused later fails at submit time, with the same
  // text. `levels` are those of the set's ClusterTopologyBinding.
  virtual std::vector<base::FieldCause> Validate(const json::Value& pod_clique_set,
                                                 const TopologyLevels& levels) = 0;

  // Whether our gate may be taken off a pod now, and what to patch with it.
  virtual ReleaseDecision CheckRelease(const json::Value& pod) = 0;

  // Keeps the schedulers' own topology objects in line with a ClusterTopologyBinding; the answer
  // is its status. See topology_sync.h.
  virtual base::Result<std::vector<TopologyState>> SyncTopology(const json::Value& binding) = 0;

  // Replaces the configuration at run time: backends come and go without a restart. The old one
  // stays in force when the new one is refused.
  virtual base::Status Reconfigure(const BackendConfig& config) = 0;
  virtual std::shared_ptr<const BackendSet> current() const = 0;
};

// Which backends' controllers a process runs.
struct ControllerOptions {
  std::vector<std::string> only;  // Backend ids; empty runs all enabled ones.
  int workers = 4;
};

// Makes the facade. Starts nothing.
base::Result<std::unique_ptr<Backends>> MakeBackends(kube::Manager& manager,
                                                     const BackendConfig& config);

// That all of these ids are known, enabled or not.
base::Status CheckBackendIds(const BackendSet& set, const std::vector<std::string>& ids);

// Adds one controller per backend (PodGang → the scheduler's objects, status back). They follow
// Reconfigure of `backends`, which must outlive the manager. Call before Manager::Start.
base::Status AddToManager(kube::Manager& manager, Backends& backends,
                          const ControllerOptions& options = {});

}  // namespace coppice::backends
