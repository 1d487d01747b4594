#include <fmt/format.h>

#include "api/edit/apps.h"
#include "services/common/names.h"
#include "services/platform/model/kinds.h"
#include "services/platform/operands/operands.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr std::string_view kSysfsMount = "/host/sys";
constexpr std::string_view kNumaPlugin = "numa";
constexpr std::string_view kPodResources = "pod-resources";
constexpr std::string_view kSysfs = "sysfs";

// Said outright, or implied by a shard that uses what the exporter finds out.
bool IsWanted(view::kai::NumaExporterConfig block, const Surroundings& cluster) {
  if (block.service().has_enabled()) return block.service().enabled();
  for (const Value& shard : cluster.shards) {
    if (view::kai::SchedulingShard(shard).spec().plugins()[kNumaPlugin].enabled()) return true;
  }
  return false;
}

Args ExporterArgs(view::kai::ConfigSpec spec) {
  const auto block = spec.numaPlacementExporter();
  Args args = {fmt::format("--sysfs-root={}", kSysfsMount)};
  const auto add = [&](std::string_view flag, std::string_view value) {
    if (!value.empty()) args.push_back(fmt::format("--{}={}", flag, value));
  };
  add("poll-interval", block.pollInterval());
  add("drift-resync-interval", block.driftResyncInterval());
  add("podresources-socket", block.podResourcesSocket());
  AddJsonLog(spec, args);
  return args;
}

// It reads root-owned files of every node it is meant for, whatever the other services avoid.
void FillPod(view::kai::ConfigSpec spec, edit::core::PodSpec pod) {
  const auto block = spec.numaPlacementExporter();
  pod.add_volumes().set_name(kPodResources).hostPath().set_path(block.podResourcesHostPath());
  pod.add_volumes().set_name(kSysfs).hostPath().set_path(block.sysfsHostPath());
  pod.clear_affinity();
  pod.set_nodeSelector(block.nodeSelector().Json());
  Value tolerations = Value::Array();
  for (const auto& list : {spec.global().daemonsetsTolerations(), block.tolerations()}) {
    for (const Value& toleration : list) tolerations.Append(toleration);
  }
  pod.clear_tolerations();
  if (!tolerations.empty()) pod.set_tolerations(std::move(tolerations));
}

void FillExporter(view::kai::ConfigSpec spec, edit::core::Container container) {
  container.set_securityContext(Value::Object());
  container.securityContext().set_runAsUser(0).set_runAsNonRoot(false).set_allowPrivilegeEscalation(
      false);
  AddFieldVariable(container, "NODE_NAME", "spec.nodeName");
  const auto mount = [&](std::string_view name, std::string_view path) {
    container.add_volumeMounts().set_name(name).set_mountPath(path).set_readOnly(true);
  };
  mount(kPodResources, spec.numaPlacementExporter().podResourcesHostPath());
  mount(kSysfs, kSysfsMount);
}

}  // namespace

base::Result<Objects> NumaExporterObjects(view::kai::ConfigSpec spec, const Surroundings& cluster) {
  const auto block = spec.numaPlacementExporter();
  if (!IsWanted(block, cluster)) return Objects();
  const ServiceInfo info{"numa-placement-exporter", "numaexporter", block.service()};
  Desired made = NewObject(kDaemonSets, spec, info.name);
  const edit::apps::DaemonSetSpec wanted = edit::apps::DaemonSet(made.object).spec();
  wanted.selector().matchLabels().Set(names::kAppLabel, info.name);
  FillPodTemplate(spec, info, ExporterArgs(spec), wanted.template_());
  FillPod(spec, wanted.template_().spec());
  FillExporter(spec, MainContainer(made));
  return Objects{MakeServiceAccount(spec, info.name), std::move(made)};
}

}  // namespace coppice::services::platform
