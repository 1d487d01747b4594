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

// The facade over all backends that the operator uses while it builds gangs and pods. One per
// process; thread-safe; valid as long as the manager it was created from.
//
//   auto selection = backends.Select(set);             // at admission and for the gang's labels
//   auto status = backends.PreparePod(set, clique, 3, pod);
//   ReleaseDecision decision = backends.CheckRelease(pod);
class Backends {
 public:
  virtual ~Backends() = default;

  // The backend for a set: the annotation grove.io/scheduler-backend on the set, else the
  // schedulerName of its templates, else the default profile. Cached per uid and generation until
  // the configuration changes. Fails with kInvalid if there is no such backend, several match, or
  // the templates name different schedulers.
  virtual base::Result<Selection> Select(const json::Value& pod_clique_set) = 0;
  // The backend for a gang, by its labels.
  virtual base::Result<Selection> SelectForGang(const json::Value& pod_gang) = 0;

  // Labels for the PodGang that identify its backend.
  virtual json::Value GangLabels(const Selection& selection) = 0;
  // Annotations for the PodGang that its backend needs; never remove these.
  virtual json::Value GangAnnotations(const Selection& selection) = 0;

  // Completes a new pod of PodClique `clique` whose labels are already set: schedulerName, priority
  // class, gate, and whatever the backend adds. `index` is the pod's index within its clique.
  // kUnavailable means retry: the PodGang must exist first (its uid is part of the pod's metadata),
  // or its objects are being replaced.
  virtual base::Status PreparePod(const json::Value& pod_clique_set, const json::Value& clique,
                                  int64_t index, json::Value& pod) = 0;

  // What the backend rejects about a set; empty if nothing. Translates every gang of the set
  // without writing, so that what would fail later already fails at admission, with the same
  // message. `levels` come from the set's ClusterTopologyBinding.
  virtual std::vector<base::FieldCause> Validate(const json::Value& pod_clique_set,
                                                 const TopologyLevels& levels) = 0;

  // Whether our gate may be removed from a pod now, and the patch that removes it.
  virtual ReleaseDecision CheckRelease(const json::Value& pod) = 0;

  // Syncs the schedulers' own topology objects with a ClusterTopologyBinding; the result is its
  // status. See topology_sync.h.
  virtual base::Result<std::vector<TopologyState>> SyncTopology(const json::Value& binding) = 0;

  // Replaces the configuration at run time; backends are added and removed without a restart. If
  // the new configuration is invalid, the old one stays in force.
  virtual base::Status Reconfigure(const BackendConfig& config) = 0;
  virtual std::shared_ptr<const BackendSet> current() const = 0;
};

// Which backends' controllers a process runs.
struct ControllerOptions {
  std::vector<std::string> only;  // Backend ids; empty runs all enabled ones.
  int workers = 4;
};

// Creates the facade. Starts nothing.
base::Result<std::unique_ptr<Backends>> MakeBackends(kube::Manager& manager,
                                                     const BackendConfig& config);

// Checks that all these ids are known, enabled or not.
base::Status CheckBackendIds(const BackendSet& set, const std::vector<std::string>& ids);

// Adds one controller per backend (PodGang → the scheduler's objects, status back). They follow
// Reconfigure of `backends`, which must outlive the manager. Call before Manager::Start.
base::Status AddToManager(kube::Manager& manager, Backends& backends,
                          const ControllerOptions& options = {});

}  // namespace coppice::backends
