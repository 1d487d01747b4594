#include "services/nodes/nodes.h"

#include "api/labels.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "services/nodes/node_monitor.h"
#include "services/nodes/taint_eviction.h"

namespace coppice::services::nodes {
namespace {

using json::Value;

std::string_view NodeOf(const Value& pod) { return view::core::Pod(pod).spec().nodeName(); }

bool IsBound(const kube::Change& change) {
  const bool bound_before = !NodeOf(change.old_object).empty();
  return change.type != kube::ChangeType::kDeleted && !bound_before &&
         !NodeOf(change.object).empty();
}

bool Evicts(const Value& node) {
  for (const view::core::Taint taint : view::core::Node(node).spec().taints()) {
    if (taint.effect() == "NoExecute") return true;
  }
  return false;
}

// The simulation keeps the state of the nodes that it made.
bool HasKubelet(const kube::Change& change) {
  return kube::Annotation(change.object, api::labels::kSimulated) != "true";
}

}  // namespace

void AddToManager(kube::Manager& manager) {
  const kube::Runtime runtime = manager.runtime();
  kube::Informer& pods = runtime.cache.InformerFor(api::kPods);
  pods.AddIndex(std::string(kPodsOfNode),
                [](const Value& pod) { return std::vector{std::string(NodeOf(pod))}; });
  kube::ControllerSpec monitor{.name = "node-monitor"};
  monitor.For(api::kNodes, HasKubelet);
  manager.AddController(std::move(monitor), std::make_unique<NodeMonitor>(runtime));
  kube::ControllerSpec eviction{.name = "taint-eviction"};
  eviction.For(api::kPods, IsBound);
  eviction.Watches(
      api::kNodes,
      [&pods](const Value& node) {
        std::vector<api::ObjectKey> keys;
        for (const Value& pod : pods.ByIndex(kPodsOfNode, kube::Name(node))) {
          keys.push_back(kube::KeyOf(pod));
        }
        return keys;
      },
      [](const kube::Change& change) {
        return Evicts(change.object) || Evicts(change.old_object);
      });
  manager.AddController(std::move(eviction), std::make_unique<TaintEviction>(runtime));
}

}  // namespace coppice::services::nodes
