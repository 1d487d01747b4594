#include "server/webhooks/pod_slices.h"

#include "api/selectors/label_selector.h"
#include "kube/object.h"

namespace coppice::server {
namespace {

// The number of the pod's port that a Service's targetPort means; 0 when the pod has none.
int64_t TargetPort(const json::Value& pod, const json::Value& port) {
  const json::Value& target = port["targetPort"];
  if (!target.IsString()) return target.AsInt(port["port"].AsInt());
  for (const json::Value& container : pod["spec"]["containers"].Items()) {
    for (const json::Value& each : container["ports"].Items()) {
      if (each["name"] == target) return each["containerPort"].AsInt();
    }
  }
  return 0;
}

json::Value SliceOf(const json::Value& pod, const json::Value& port, int64_t number) {
  const bool ready = kube::ConditionIs(pod, "Ready", "True") && !kube::IsDeleting(pod);
  json::Value endpoint =
      json::Value::Object({{"addresses", json::Value::Array({pod["status"]["podIP"]})}});
  endpoint.Mutable("conditions").Set("ready", ready);
  return json::Value::Object(
      {{"endpoints", json::Value::Array({endpoint})},
       {"ports", json::Value::Array({json::Value::Object(
                     {{"name", port["name"].AsString()}, {"port", number}})})}});
}

}  // namespace

std::vector<json::Value> SlicesOfPods(const store::Store& store, const json::Value& service,
                                      const json::Value& port) {
  std::vector<json::Value> slices;
  const json::Value& selector = service["spec"]["selector"];
  if (selector.empty()) return slices;
  const auto pods = store.List("/pods", {std::string(kube::Namespace(service)) + "/"});
  if (!pods) return slices;
  const auto selected = api::LabelSelector::FromLabels(selector);
  for (const store::VersionPtr& version : pods->items) {
    const json::Value& pod = version->value();
    const int64_t number = TargetPort(pod, port);
    if (!selected.MatchesObject(pod) || number == 0) continue;
    if (!pod["status"]["podIP"].AsString().empty()) slices.push_back(SliceOf(pod, port, number));
  }
  return slices;
}

}  // namespace coppice::server
