#include "services/nodes/node_monitor.h"

#include "api/edit/core.h"
#include "api/view/coordination.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "kube/cache/apply.h"
#include "kube/events/events.h"
#include "kube/object.h"
#include "services/nodes/node_health.h"
#include "services/nodes/pod_condition.h"

namespace coppice::services::nodes {
namespace {

using base::ErrorCode;
using json::Value;
using kube::Requeue;

constexpr const char* kLeaseNamespace = "kube-node-lease";
constexpr base::Duration kMonitorPeriod = std::chrono::seconds(5);
constexpr base::Duration kLookForKubelet = std::chrono::seconds(20);
constexpr base::Duration kGracePeriod = std::chrono::seconds(50);

template <typename T>
base::Status UnlessGone(const base::Result<T>& result) {
  if (result || result.Is(ErrorCode::kNotFound)) return {};
  return result.error();
}

}  // namespace

NodeMonitor::NodeMonitor(kube::Runtime runtime)
    : client_(runtime.client),
      executor_(runtime.executor),
      events_(runtime.events),
      nodes_(runtime.cache.InformerFor(api::kNodes)),
      pods_(runtime.cache.InformerFor(api::kPods)) {}

base::Result<Requeue> NodeMonitor::Reconcile(const api::ObjectKey& key) {
  if (!nodes_.Get(key)) {
    const std::lock_guard lock(mutex_);
    heartbeats_.erase(key.name);
    return Requeue::Done();
  }
  // The cache may lack what is written here.
  const base::Result<Value> node = client_.Get(api::kNodes, key);
  if (!node) return UnlessGone(node) ? base::Result<Requeue>(Requeue::Done()) : node.error();
  COPPICE_ASSIGN(const auto heartbeat, LastHeartbeat(*node));
  if (!heartbeat) return Requeue::After(kLookForKubelet);
  const bool silent = executor_.Now() - *heartbeat > kGracePeriod;
  if (silent && !kube::ConditionIs(*node, "Ready", "Unknown")) {
    COPPICE_TRY(MarkSilent(*node));
  } else {
    COPPICE_TRY(UpdateTaints(*node));
  }
  if (!kube::ConditionIs(*node, "Ready", "True")) COPPICE_TRY(MarkPodsUnready(key.name));
  return Requeue::After(kMonitorPeriod);
}

base::Result<std::optional<base::Time>> NodeMonitor::LastHeartbeat(const Value& node) {
  const std::string name(kube::Name(node));
  const base::Result<Value> lease = client_.Get(api::kLeases, {kLeaseNamespace, name});
  if (lease.Is(ErrorCode::kNotFound)) return std::optional<base::Time>();
  if (!lease) return lease.error();
  const std::string renewed(view::coordination::Lease(*lease).spec().renewTime());
  const view::core::NodeCondition ready(kube::Condition(node, "Ready"));
  // What we write ourselves is no heartbeat.
  const std::string reported(ready.status() == "Unknown" ? "" : ready.lastHeartbeatTime());
  const std::lock_guard lock(mutex_);
  Heartbeat& last = heartbeats_[name];
  const bool news = last.renewed != renewed || (!reported.empty() && last.reported != reported);
  if (news || last.seen == base::Time{}) last = {renewed, reported, executor_.Now()};
  return std::optional(last.seen);
}

base::Status NodeMonitor::MarkSilent(const Value& node) {
  const auto written =
      kube::PatchStatus(client_, api::kNodes, node, StatusOfSilentNode(node, executor_.Now()));
  COPPICE_TRY(UnlessGone(written));
  events_.Event(node, "Normal", "NodeNotReady",
                "Node " + std::string(kube::Name(node)) + " status is now: NodeNotReady");
  return {};
}

base::Status NodeMonitor::MarkPodsUnready(std::string_view node) {
  for (const Value& pod : pods_.ByIndex(kPodsOfNode, node)) {
    if (!kube::ConditionIs(pod, "Ready", "True")) continue;
    COPPICE_TRY(SetPodCondition(client_, pod,
                                {.type = "Ready", .status = "False", .reason = "NodeNotReady"},
                                executor_.Now()));
  }
  return {};
}

base::Status NodeMonitor::UpdateTaints(const Value& node) {
  const std::optional<Value> taints = DesiredTaints(node, executor_.Now());
  if (!taints) return {};
  Value wanted = node;
  edit::core::Node(wanted).spec().set_taints(*taints);
  return UnlessGone(kube::PatchTo(client_, api::kNodes, node, wanted));
}

}  // namespace coppice::services::nodes
