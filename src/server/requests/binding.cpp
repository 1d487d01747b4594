#include <fmt/format.h>

#include "api/schema/errors/field_error.h"
#include "kube/object.h"
#include "server/kinds/checks/conditions.h"
#include "server/model/errors.h"
#include "server/requests/subresources.h"

namespace coppice::server {
namespace {

base::Error Refused(const Request& request, std::string_view why) {
  return base::Conflict(
      fmt::format("Operation cannot be fulfilled on pods/binding \"{}\": {}", request.name, why));
}

base::Status CheckNodeTarget(const Request& request, const json::Value& binding) {
  const json::Value& target = binding["target"];
  Causes causes;
  if (!target["kind"].AsString().empty() && target["kind"].AsString() != "Node") {
    causes.push_back(api::UnsupportedField("target.kind", target["kind"], {"Node", "<empty>"}));
  }
  if (target["name"].AsString().empty()) causes.push_back(api::RequiredField("target.name"));
  if (causes.empty()) return {};
  return api::InvalidObject({"", "v1", "bindings", "Binding", true}, request.name,
                            std::move(causes));
}

base::Status CheckUnbound(const Request& request, const json::Value& pod,
                          const json::Value& binding) {
  const std::string_view uid = kube::Uid(binding);
  if (!uid.empty() && uid != kube::Uid(pod)) {
    return Refused(request, fmt::format("Precondition failed: UID in precondition: {}, UID in "
                                        "object meta: {}",
                                        uid, kube::Uid(pod)));
  }
  if (kube::IsDeleting(pod)) {
    return Refused(request, fmt::format("pod {} is being deleted, cannot be assigned to a host",
                                        request.name));
  }
  const std::string_view node = pod["spec"]["nodeName"].AsString();
  if (!node.empty()) {
    return Refused(request,
                   fmt::format("pod {} is already assigned to node \"{}\"", request.name, node));
  }
  if (!pod["spec"]["schedulingGates"].empty()) {
    return Refused(request,
                   fmt::format("pod {} has non-empty .spec.schedulingGates", request.name));
  }
  return {};
}

}  // namespace

base::Result<Outcome> BindPod(Core& core, const Request& request, const json::Value& binding) {
  COPPICE_TRY(CheckNodeTarget(request, binding));
  COPPICE_TRY(AdmitSubresource(core, request, binding));
  Request pod_request = request;
  pod_request.subresource = "";
  COPPICE_TRY(
      core.ModifyQuietly(pod_request, [&](const json::Value& current) -> base::Result<json::Value> {
        COPPICE_TRY(CheckUnbound(request, current, binding));
        json::Value pod = current;
        pod.Mutable("spec").Set("nodeName", binding["target"]["name"]);
        for (const char* field : {"annotations", "labels"}) {
          for (const json::Member& each : binding["metadata"][field].Members()) {
            pod.Mutable("metadata").Mutable(field).Set(each.name(), each.value);
          }
        }
        SetPodCondition(pod, "PodScheduled", "True", "", "", core.clock().Now());
        return pod;
      }));
  return Outcome{SuccessStatus(201), nullptr, true};
}

}  // namespace coppice::server
