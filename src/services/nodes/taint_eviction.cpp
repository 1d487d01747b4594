#include "services/nodes/taint_eviction.h"

#include "api/view/core.h"
#include "api/well_known.h"
#include "kube/events/events.h"
#include "kube/object.h"
#include "services/nodes/pod_condition.h"
#include "services/nodes/tolerated.h"

namespace coppice::services::nodes {
namespace {

using base::ErrorCode;
using json::Value;
using kube::Requeue;

constexpr std::string_view kCause = "Taint manager: deleting due to NoExecute taint";

}  // namespace

TaintEviction::TaintEviction(kube::Runtime runtime)
    : client_(runtime.client),
      executor_(runtime.executor),
      events_(runtime.events),
      pods_(runtime.cache.InformerFor(api::kPods)),
      nodes_(runtime.cache.InformerFor(api::kNodes)) {}

base::Result<Requeue> TaintEviction::Reconcile(const api::ObjectKey& key) {
  const std::optional<Value> pod = pods_.Get(key);
  const auto node =
      pod ? nodes_.Get({"", std::string(view::core::Pod(*pod).spec().nodeName())}) : std::nullopt;
  const auto tolerated = node ? ToleratedFor(*pod, *node) : std::nullopt;
  if (!tolerated || kube::IsDeleting(*pod)) {
    Forget(key);
    return Requeue::Done();
  }
  const base::Duration left = Since(key, kube::Uid(*pod)) + *tolerated - executor_.Now();
  if (left > base::Duration::zero()) return Requeue::After(left);
  COPPICE_TRY(Evict(*pod));
  return Requeue::Done();
}

base::Time TaintEviction::Since(const api::ObjectKey& key, std::string_view uid) {
  const std::lock_guard lock(mutex_);
  Waiting& waiting = waiting_[key];
  if (waiting.uid != uid) waiting = {std::string(uid), executor_.Now()};
  return waiting.since;
}

void TaintEviction::Forget(const api::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  waiting_.erase(key);
}

base::Status TaintEviction::Evict(const Value& pod) {
  events_.Event(pod, "Normal", "TaintManagerEviction",
                "Marking for deletion Pod " + kube::KeyOf(pod).ToString());
  COPPICE_TRY(SetPodCondition(client_, pod,
                              {.type = "DisruptionTarget",
                               .status = "True",
                               .reason = "DeletionByTaintManager",
                               .message = kCause},
                              executor_.Now()));
  const auto deleted =
      client_.Delete(api::kPods, kube::KeyOf(pod), {.uid = std::string(kube::Uid(pod))});
  if (deleted || deleted.Is(ErrorCode::kNotFound) || deleted.Is(ErrorCode::kConflict)) return {};
  return deleted.error();
}

}  // namespace coppice::services::nodes
