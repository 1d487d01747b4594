#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backends/framework/backend.h"
#include "backends/framework/registry.h"
#include "backends/framework/selection.h"

// What a backend would write, without a cluster: `coppice render`.
namespace coppice::backends {

struct RenderOptions {
  std::string backend;              // A backend's id or a schedulerName; "" uses the set's.
  std::string kubernetes = "1.35";  // "1.35", "1.36", "1.37", "1.37+CPG".
  BackendConfig config;             // Profiles; AllBackends() when empty.
  json::Value binding;              // The ClusterTopologyBinding; null if there is none.
  // Other objects of the cluster: queues, priority classes, nodes.
  std::vector<json::Value> cluster;
  std::vector<json::Value> pods;  // As the operator builds them; if empty, bare pods are generated.
  // Adds the operator's metadata to a PodGang. If not set, it only has what its backend needs.
  std::function<void(const PodGangInfo&, const Selection&, json::Value& pod_gang)> gang_metadata;
};

// One gang with all its objects, in the order in which they would be written.
struct RenderedGang {
  json::Value pod_gang;
  std::vector<json::Value> objects;
  std::vector<json::Value> pods;  // One per role and index, completed by the backend.
  std::vector<Outcome> outcomes;
  std::optional<Refusal> refusal;
};

// All gangs of a PodCliqueSet. Names that contain a uid use one derived from the gang's name. Fails
// if no backend serves the set; what a backend refuses is in the result.
base::Result<std::vector<RenderedGang>> RenderSet(const json::Value& pod_clique_set,
                                                  const RenderOptions& options);

// The set with every template naming the scheduler of `options.backend`. Returns the set unchanged
// if no backend is given.
base::Result<json::Value> Retarget(json::Value pod_clique_set, const RenderOptions& options);

// Everything that this release of Kubernetes serves with all schedulers installed.
Capabilities OfflineCapabilities(const BackendSet& backends, const std::string& kubernetes);

}  // namespace coppice::backends
