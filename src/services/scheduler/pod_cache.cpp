#include "services/scheduler/pod_cache.h"

#include <array>

#include "kube/object.h"
#include "services/names.h"

namespace coppice::services::scheduler {
namespace {

bool NamesObject(const json::Value& variable) {
  return variable["valueFrom"].Has("configMapKeyRef") || variable["valueFrom"].Has("secretKeyRef");
}

json::Value StripContainer(const json::Value& container) {
  static constexpr std::array kKept = {"name",      "ports",        "envFrom",
                                       "resources", "volumeMounts", "restartPolicy"};
  json::Value out = json::Value::Object();
  for (const char* field : kKept) {
    if (container.Has(field)) out.Set(field, container[field]);
  }
  for (const json::Value& variable : container["env"].Items()) {
    if (NamesObject(variable)) out.Mutable("env").Append(variable);
  }
  return out;
}

json::Value StripEnded(const json::Value& pod) {
  static constexpr std::array kKept = {"name", "namespace", "uid", "resourceVersion"};
  json::Value out = json::Value::Object();
  for (const char* field : {"apiVersion", "kind"}) {
    if (pod.Has(field)) out.Set(field, pod[field]);
  }
  json::Value& metadata = out.Mutable("metadata");
  for (const char* field : kKept) {
    if (pod["metadata"].Has(field)) metadata.Set(field, pod["metadata"][field]);
  }
  const auto group = kube::Annotation(pod, names::kPodGroupAnnotation);
  const auto part = kube::Label(pod, names::kSubGroupLabel);
  if (!group.empty()) metadata.Mutable("annotations").Set(names::kPodGroupAnnotation, group);
  if (!part.empty()) metadata.Mutable("labels").Set(names::kSubGroupLabel, part);
  if (group.empty()) {
    // Pods of grove-scheduler are told by these whose they are.
    metadata.Set("labels", pod["metadata"]["labels"]);
    out.Mutable("spec").Set("schedulerName", pod["spec"]["schedulerName"]);
  }
  out.Mutable("status").Set("phase", pod["status"]["phase"]);
  return out;
}

}  // namespace

json::Value StripPod(const json::Value& pod) {
  const std::string_view phase = pod["status"]["phase"].AsString();
  if (phase == "Succeeded" || phase == "Failed") return StripEnded(pod);
  json::Value out = pod;
  if (out["metadata"].Has("managedFields")) out.Mutable("metadata").Erase("managedFields");
  for (const char* list : {"containers", "initContainers"}) {
    if (!out["spec"].Has(list)) continue;
    json::Value stripped = json::Value::Array();
    for (const json::Value& container : pod["spec"][list].Items()) {
      stripped.Append(StripContainer(container));
    }
    out.Mutable("spec").Set(list, std::move(stripped));
  }
  return out;
}

kube::InformerOptions OwnPodCache() {
  return {.trim = [](json::Value pod) { return StripPod(pod); }};
}

}  // namespace coppice::services::scheduler
