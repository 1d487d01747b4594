#include "page/facts/node_facts.h"

#include <fmt/format.h>

#include "api/foreign/node_places.h"
#include "api/kai/names.h"
#include "api/view/core.h"
#include "kube/object.h"

namespace coppice::page {
namespace {

constexpr std::string_view kPods = "pods";

std::vector<std::string> TaintsOf(view::core::NodeSpec node) {
  std::vector<std::string> out;
  for (const view::core::Taint taint : node.taints()) {
    // Nodes that are cordoned or down are shown as that.
    const bool state = taint.key().starts_with(api::foreign::kNodeStatePrefix);
    if (state || taint.effect() == "PreferNoSchedule") continue;
    out.push_back(fmt::format("{}{}{}:{}", taint.key(), taint.value().empty() ? "" : "=",
                              taint.value(), taint.effect()));
  }
  return out;
}

}  // namespace

NodeFacts ReadNodeFacts(const json::Value& object) {
  const view::core::Node node(object);
  NodeFacts facts;
  facts.has = AmountsIn(node.status().allocatable());
  facts.max_pods = QuantityOf(node.status().allocatable()[kPods]);
  facts.labels = node.metadata().labels().Json();
  facts.gpu_memory_mib = QuantityOf(facts.labels[api::kai::names::kNodeGpuMemory]);
  facts.cordoned = node.spec().unschedulable();
  facts.ready = kube::ConditionIs(object, "Ready", "True");
  facts.taints = TaintsOf(node.spec());
  return facts;
}

}  // namespace coppice::page
