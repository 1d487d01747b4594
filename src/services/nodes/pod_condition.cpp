#include "services/nodes/pod_condition.h"

#include "api/edit/core.h"
#include "api/well_known.h"
#include "kube/object.h"

namespace coppice::services::nodes {

base::Status SetPodCondition(kube::Client& client, const json::Value& pod,
                             const PodConditionUpdate& update, base::Time now) {
  json::Value patch = json::Value::Object();
  const edit::core::Pod edit(patch);
  edit.metadata().set_uid(kube::Uid(pod));
  const edit::core::PodCondition condition = edit.status().conditions().Add();
  condition.set_type(update.type).set_status(update.status).set_reason(update.reason);
  if (!update.message.empty()) condition.set_message(update.message);
  condition.set_lastTransitionTime(base::FormatRfc3339(now));
  const auto written = client.Patch(api::kPods, kube::KeyOf(pod), kube::PatchType::kStrategic,
                                    patch, {.subresource = "status"});
  if (written || written.Is(base::ErrorCode::kNotFound)) return {};
  return written.error();
}

}  // namespace coppice::services::nodes
