#include "services/binder/reservation_pod.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "http/crypto.h"
#include "kube/object.h"
#include "services/names.h"

namespace coppice::services::binder {
namespace {

json::Value FieldEnv(std::string_view name, std::string_view path) {
  return json::Value::Object(
      {{"name", name},
       {"valueFrom",
        json::Value::Object({{"fieldRef", json::Value::Object({{"fieldPath", path}})}})}});
}

// One GPU, plus what is configured for everything else.
json::Value Resources(const Options& options) {
  json::Value resources = json::Value::Object();
  for (const char* kind : {"requests", "limits"}) {
    json::Value& list = resources.Mutable(kind);
    list = json::Value::Object();
    for (const json::Member& member : options.reservation_resources[kind].Members()) {
      list.Set(member.name(), member.value);
    }
    list.Set(names::kGpuResource, "1");
  }
  return resources;
}

json::Value Container(const Options& options) {
  json::Value container = json::Value::Object(
      {{"name", "resource-reservation"},
       {"image", options.fake_gpu_nodes ? "ubuntu" : options.reservation_image},
       {"imagePullPolicy", "IfNotPresent"},
       {"resources", Resources(options)},
       {"env", json::Value::Array({FieldEnv("POD_NAME", "metadata.name"),
                                   FieldEnv("POD_NAMESPACE", "metadata.namespace")})}});
  for (const std::string& word : options.reservation_command) {
    if (!options.fake_gpu_nodes) container.Mutable("command").Append(word);
  }
  if (options.fake_gpu_nodes) {
    container.Set("args", json::Value::Array({"sleep", "infinity"}));
  }
  if (!options.reservation_container_security_context.IsNull()) {
    container.Set("securityContext", options.reservation_container_security_context);
  }
  return container;
}

}  // namespace

std::string ReservationPodName(std::string_view node, std::string_view group) {
  return "gpu-reservation-" + http::Sha256Hex(fmt::format("{}/{}", node, group)).substr(0, 16);
}

json::Value MakeReservationPod(const Options& options, const json::Value& consumer,
                               std::string_view node, std::string_view group) {
  json::Value pod =
      kube::NewObject(api::kPods, options.reservation_namespace, ReservationPodName(node, group));
  pod.Mutable("metadata")
      .Set("labels", json::Value::Object(
                         {{"app", options.reservation_app_label}, {names::kGpuGroupLabel, group}}))
      .Set("annotations", json::Value::Object({{"karpenter.sh/do-not-disrupt", "true"}}));
  json::Value& spec = pod.Mutable("spec");
  spec.Set("nodeName", node)
      .Set("serviceAccountName", options.reservation_service_account)
      .Set("containers", json::Value::Array({Container(options)}));
  if (!consumer["spec"]["tolerations"].empty()) {
    spec.Set("tolerations", consumer["spec"]["tolerations"]);
  }
  if (!options.runtime_class_name.empty()) spec.Set("runtimeClassName", options.runtime_class_name);
  if (!options.reservation_pod_security_context.IsNull()) {
    spec.Set("securityContext", options.reservation_pod_security_context);
  }
  return pod;
}

}  // namespace coppice::services::binder
