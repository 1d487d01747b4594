#include "services/platform/kinds.h"
#include "services/platform/operands.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr const char* kSysfsMount = "/host/sys";

// Said outright, or implied by a shard that uses what the exporter finds out.
bool IsWanted(const Value& block, const Surroundings& cluster) {
  const Value& enabled = block["service"]["enabled"];
  if (enabled.IsBool()) return enabled.AsBool();
  for (const Value& shard : cluster.shards) {
    if (shard["spec"]["plugins"]["numa"]["enabled"].AsBool()) return true;
  }
  return false;
}

Args ExporterArgs(const Value& spec, const Value& block) {
  Args args = {std::string("--sysfs-root=") + kSysfsMount};
  const auto add = [&](const char* flag, const char* field) {
    const std::string value = block[field].ToString();
    if (!value.empty()) args.push_back(std::string("--") + flag + "=" + value);
  };
  add("poll-interval", "pollInterval");
  add("drift-resync-interval", "driftResyncInterval");
  add("podresources-socket", "podResourcesSocket");
  AddJsonLog(spec, args);
  return args;
}

Value HostFolder(std::string_view name, const Value& path) {
  return Value::Object({{"name", name}, {"hostPath", Value::Object({{"path", path}})}});
}

Value Mount(std::string_view name, const Value& path) {
  return Value::Object({{"name", name}, {"mountPath", path}, {"readOnly", true}});
}

// It reads root-owned files of every node it is meant for, whatever the other services avoid.
void FillPod(const Value& spec, const Value& block, Value& pod) {
  pod.Set("volumes", Value::Array({HostFolder("pod-resources", block["podResourcesHostPath"]),
                                   HostFolder("sysfs", block["sysfsHostPath"])}));
  pod.Erase("affinity");
  pod.Set("nodeSelector", block["nodeSelector"]);
  Value tolerations = Value::Array();
  for (const Value* list : {&spec["global"]["daemonsetsTolerations"], &block["tolerations"]}) {
    for (const Value& toleration : list->Items()) tolerations.Append(toleration);
  }
  pod.Erase("tolerations");
  if (!tolerations.empty()) pod.Set("tolerations", std::move(tolerations));
}

}  // namespace

base::Result<Objects> NumaExporterObjects(const Value& spec, const Surroundings& cluster) {
  const Value& block = spec["numaPlacementExporter"];
  if (!IsWanted(block, cluster)) return Objects();
  const ServiceInfo info{"numa-placement-exporter", "numaexporter", block};
  Desired made = NewObject(kDaemonSets, spec, info.name);
  made.object.Set(
      "spec",
      Value::Object(
          {{"selector", Value::Object({{"matchLabels", Value::Object({{"app", info.name}})}})},
           {"template", PodTemplate(spec, info, ExporterArgs(spec, block))}}));
  FillPod(spec, block, made.object.Mutable("spec").Mutable("template").Mutable("spec"));
  Value& container = MainContainer(made);
  container.Set("securityContext", Value::Object({{"runAsUser", 0},
                                                  {"runAsNonRoot", false},
                                                  {"allowPrivilegeEscalation", false}}));
  container.Set(
      "env",
      Value::Array({Value::Object(
          {{"name", "NODE_NAME"},
           {"valueFrom",
            Value::Object({{"fieldRef", Value::Object({{"apiVersion", "v1"},
                                                       {"fieldPath", "spec.nodeName"}})}})}})}));
  container.Set("volumeMounts", Value::Array({Mount("pod-resources", block["podResourcesHostPath"]),
                                              Mount("sysfs", kSysfsMount)}));
  return Objects{MakeServiceAccount(spec, info.name), std::move(made)};
}

}  // namespace coppice::services::platform
