#include "services/binder/reservation/reservation_pod.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/foreign/names.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "http/crypto/crypto.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::services::binder {
namespace {

constexpr std::string_view kDoNotDisrupt = api::foreign::kKarpenterDoNotDisrupt;

// One GPU, plus what is configured for everything else.
json::Value WithOneGpu(view::Quantities configured) {
  json::Value all = configured.empty() ? json::Value::Object() : configured.Json();
  return all.Set(names::kGpuResource, "1");
}

void AddFieldEnv(edit::core::Container container, std::string_view name, std::string_view path) {
  container.add_env().set_name(name).valueFrom().fieldRef().set_fieldPath(path);
}

void FillContainer(const Options& options, edit::core::Container container) {
  const view::core::ResourceRequirements resources(options.reservation_resources);
  container.set_name("resource-reservation")
      .set_image(options.fake_gpu_nodes ? "ubuntu" : options.reservation_image)
      .set_imagePullPolicy("IfNotPresent");
  container.resources()
      .set_requests(WithOneGpu(resources.requests()))
      .set_limits(WithOneGpu(resources.limits()));
  AddFieldEnv(container, "POD_NAME", "metadata.name");
  AddFieldEnv(container, "POD_NAMESPACE", "metadata.namespace");
  const std::vector<std::string>& command = options.reservation_command;
  if (options.fake_gpu_nodes) {
    container.set_args(json::Value::Array({"sleep", "infinity"}));
  } else if (!command.empty()) {
    container.set_command(json::Value::Array({command.begin(), command.end()}));
  }
  if (!options.reservation_container_security_context.IsNull()) {
    container.set_securityContext(options.reservation_container_security_context);
  }
}

}  // namespace

std::string ReservationPodName(std::string_view node, std::string_view group) {
  return "gpu-reservation-" + http::Sha256Hex(fmt::format("{}/{}", node, group)).substr(0, 16);
}

json::Value MakeReservationPod(const Options& options, const json::Value& consumer,
                               std::string_view node, std::string_view group) {
  json::Value pod =
      kube::NewObject(api::kPods, options.reservation_namespace, ReservationPodName(node, group));
  const edit::core::Pod edit(pod);
  edit.metadata()
      .labels()
      .Set(names::kAppLabel, options.reservation_app_label)
      .Set(names::kGpuGroupLabel, group);
  edit.metadata().annotations().Set(kDoNotDisrupt, "true");
  const edit::core::PodSpec spec = edit.spec();
  spec.set_nodeName(node).set_serviceAccountName(options.reservation_service_account);
  FillContainer(options, spec.add_containers());
  const json::Value& tolerations = view::core::Pod(consumer).spec().tolerations().Json();
  if (!tolerations.empty()) spec.set_tolerations(tolerations);
  if (!options.runtime_class_name.empty()) spec.set_runtimeClassName(options.runtime_class_name);
  if (!options.reservation_pod_security_context.IsNull()) {
    spec.set_securityContext(options.reservation_pod_security_context);
  }
  return pod;
}

}  // namespace coppice::services::binder
