#include <fmt/format.h>

#include "kube/object.h"
#include "server/model/errors.h"
#include "server/plugins/plugins.h"

namespace coppice::server {
namespace {

class WorkloadExistsPlugin final : public AdmissionPlugin {
 public:
  explicit WorkloadExistsPlugin(Core& core) : store_(core.store()) {}

  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override {
    return request.operation == Operation::kCreate && request.subresource.empty() &&
           request.resource.group == "scheduling.k8s.io" && request.resource.plural == "podgroups";
  }

  base::Status Validate(const AdmissionRequest& request) override {
    const json::Value& reference = request.object["spec"]["podGroupTemplateRef"]["workload"];
    if (!reference.IsObject()) return {};
    const std::string workload = reference["workloadName"].ToString();
    const auto refuse = [&](std::string_view why) {
      return Forbidden(request.resource, request.key.name,
                       fmt::format("workload \"{}\" {}", workload, why));
    };
    const store::VersionPtr found =
        store_.GetNewest("scheduling.k8s.io/workloads", request.key.ns + "/" + workload);
    if (!found) return refuse("not found");
    if (kube::IsDeleting(found->value())) return refuse("is being deleted");
    const std::string_view wanted = reference["podGroupTemplateName"].AsString();
    for (const json::Value& each : found->value()["spec"]["podGroupTemplates"].Items()) {
      if (each["name"].AsString() == wanted) return {};
    }
    return refuse(fmt::format("has no podGroupTemplate \"{}\"", wanted));
  }

 private:
  const std::string name_ = "PodGroupWorkloadExists";
  const store::Store& store_;
};

}  // namespace

std::shared_ptr<AdmissionPlugin> WorkloadExists(Core& core) {
  return std::make_shared<WorkloadExistsPlugin>(core);
}

}  // namespace coppice::server
