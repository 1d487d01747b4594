#include "backends/workload/api_choice.h"

#include "api/well_known.h"

namespace coppice::backends::workload {
namespace {

constexpr std::string_view kGroup = "scheduling.k8s.io";

ApiShape ShapeOf(const std::string& version) {
  if (version == "v1alpha1") return ApiShape::k135;
  if (version == "v1alpha2") return ApiShape::k136;
  return ApiShape::k137;
}

bool IsWhole(const Capabilities& capabilities, const std::string& version) {
  if (!capabilities.Serves(Workloads(version))) return false;
  return version == "v1alpha1" || capabilities.Serves(PodGroups(version));
}

ApiChoice ChoiceOf(const Capabilities& capabilities, const std::string& version) {
  ApiChoice choice;
  choice.shape = ShapeOf(version);
  choice.workloads = Workloads(version);
  choice.pod_groups = PodGroups(version);
  choice.composites = CompositePodGroups();
  choice.has_topology = capabilities.HasField(choice.pod_groups, "spec.schedulingConstraints");
  choice.has_disruption = capabilities.HasField(choice.pod_groups, "spec.disruptionMode");
  choice.has_claims = capabilities.HasField(choice.pod_groups, "spec.resourceClaims");
  choice.has_composites =
      choice.shape == ApiShape::k137 && capabilities.Serves(choice.composites) &&
      capabilities.HasField(choice.composites, "spec.schedulingPolicy") &&
      capabilities.HasField(choice.pod_groups, "spec.parentCompositePodGroupName");
  choice.has_pod_field = capabilities.HasField(
      api::kPods, choice.shape == ApiShape::k135 ? "spec.workloadRef" : "spec.schedulingGroup");
  return choice;
}

}  // namespace

api::Resource Workloads(const std::string& version) {
  return {std::string(kGroup), version, "workloads", "Workload", true};
}
api::Resource PodGroups(const std::string& version) {
  return {std::string(kGroup), version, "podgroups", "PodGroup", true};
}
api::Resource CompositePodGroups() {
  return {std::string(kGroup), "v1alpha3", "compositepodgroups", "CompositePodGroup", true};
}

ApiChoice ChooseApi(const Capabilities& capabilities, const Profile& profile) {
  std::string pinned(profile.Config().apiVersion());
  if (const size_t slash = pinned.find('/'); slash != std::string::npos) {
    pinned = pinned.substr(slash + 1);
  }
  for (const std::string version : {"v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"}) {
    if (!pinned.empty() && version != pinned) continue;
    if (IsWhole(capabilities, version)) return ChoiceOf(capabilities, version);
  }
  return {};
}

Capabilities ReleaseCapabilities(const std::string& release) {
  Capabilities found;
  found.server_version = "v" + release.substr(0, 4) + ".0";
  if (release == "1.35") {
    found.Serve(Workloads("v1alpha1")).AddField(api::kPods, "spec.workloadRef");
    return found;
  }
  found.AddField(api::kPods, "spec.schedulingGroup");
  const bool newer = release.starts_with("1.37");
  for (const std::string& version : newer ? std::vector<std::string>{"v1beta1", "v1alpha3"}
                                          : std::vector<std::string>{"v1alpha2"}) {
    found.Serve(Workloads(version)).Serve(PodGroups(version));
    for (const std::string_view field :
         {"spec.schedulingConstraints", "spec.disruptionMode", "spec.resourceClaims"}) {
      found.AddField(PodGroups(version), field);
    }
    if (release == "1.37+CPG") {
      found.AddField(PodGroups(version), "spec.parentCompositePodGroupName");
    }
  }
  if (release == "1.37+CPG") {
    found.Serve(CompositePodGroups()).AddField(CompositePodGroups(), "spec.schedulingPolicy");
  }
  return found;
}

}  // namespace coppice::backends::workload
