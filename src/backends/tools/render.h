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
  std::string backend;               // A backend's id or a schedulerName; "" goes by the set.
  std::string kubernetes = "1.35";   // "1.35", "1.36", "1.37", "1.37+CPG".
  BackendConfig config;              // Profiles; AllBackends() when empty.
  json::Value binding;               // The ClusterTopologyBinding; null without.
  std::vector<json::Value> cluster;  // Further objects to look at: queues, priority classes, nodes.
  std::vector<json::Value> pods;     // As the operator builds them; bare ones are made without.
  // Gives a PodGang the metadata that the operator does; without, it has what its backend needs.
  std::function<void(const PodGangInfo&, const Selection&, json::Value& pod_gang)> gang_metadata;
};

// One gang with everything that belongs to it, in the order in which it would be written.
struct RenderedGang {
  json::Value pod_gang;
  std::vector<json::Value> objects;
  std::vector<json::Value> pods;  // One per role and index, as its backend completes them.
  std::vector<Outcome> outcomes;
  std::optional<Refusal> refusal;
};

// All gangs of a PodCliqueSet. Names that contain a uid show one made from the gang's name. Fails
// when no backend serves the set; what a backend refuses is in the result.
base::Result<std::vector<RenderedGang>> RenderSet(const json::Value& pod_clique_set,
                                                  const RenderOptions& options);

// The set as it would be written for `options.backend`: every template names its scheduler. The set
// itself when no backend is asked for.
base::Result<json::Value> Retarget(json::Value pod_clique_set, const RenderOptions& options);

// Everything that some release of Kubernetes with all schedulers installed would serve.
Capabilities OfflineCapabilities(const BackendSet& backends, const std::string& kubernetes);

}  // namespace coppice::backends
