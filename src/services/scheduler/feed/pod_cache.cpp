#include "services/scheduler/feed/pod_cache.h"

#include <algorithm>
#include <span>

#include "api/edit/core.h"
#include "api/key/core.h"
#include "api/key/meta.h"
#include "api/view/core.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::services::scheduler {
namespace {

bool NamesObject(view::core::EnvVar variable) {
  return variable.valueFrom().has_configMapKeyRef() || variable.valueFrom().has_secretKeyRef();
}

void Copy(const json::Value& from, std::span<const std::string_view> fields, json::Value& to) {
  for (const std::string_view field : fields) {
    if (const json::Value* value = from.Find(field)) to.Set(field, *value);
  }
}

json::Value StripContainer(view::core::Container container) {
  using Key = key::core::Container;
  static constexpr std::string_view kKept[] = {
      Key::name, Key::ports, Key::envFrom, Key::resources, Key::volumeMounts, Key::restartPolicy};
  json::Value out = json::Value::Object();
  Copy(container.Json(), kKept, out);
  for (const view::core::EnvVar variable : container.env()) {
    if (NamesObject(variable)) edit::core::Container(out).env().Json().Append(variable.Json());
  }
  return out;
}

json::Value StripContainers(view::List<view::core::Container> containers) {
  json::Value out = json::Value::Array();
  for (const view::core::Container container : containers) out.Append(StripContainer(container));
  return out;
}

// How long it ran tells how long similar work will run.
void KeepRuntime(view::core::PodStatus from, edit::core::PodStatus to) {
  std::string_view end;
  for (const view::core::ContainerStatus status : from.containerStatuses()) {
    end = std::max(end, status.state().terminated().finishedAt());
  }
  if (from.startTime().empty() || end.empty()) return;
  to.set_startTime(from.startTime());
  to.add_containerStatuses().state().terminated().set_finishedAt(end);
}

json::Value StripEnded(view::core::Pod pod) {
  using Key = key::core::Pod;
  using Meta = key::meta::ObjectMeta;
  static constexpr std::string_view kOfPod[] = {Key::apiVersion, Key::kind};
  static constexpr std::string_view kOfMeta[] = {Meta::name, Meta::namespace_, Meta::uid,
                                                 Meta::resourceVersion};
  json::Value out = json::Value::Object();
  Copy(pod.Json(), kOfPod, out);
  const edit::core::Pod edit(out);
  edit.status().set_phase(pod.status().phase());
  KeepRuntime(pod.status(), edit.status());
  const std::string_view group = pod.metadata().annotations()[names::kPodGroupAnnotation];
  const std::string_view part = pod.metadata().labels()[names::kSubGroupLabel];
  // Labels assign pods of grove-scheduler to their gang.
  if (group.empty()) edit.spec().set_schedulerName(pod.spec().schedulerName());
  const edit::meta::ObjectMeta metadata = edit.metadata();
  Copy(pod.metadata().Json(), kOfMeta, metadata.Json());
  if (group.empty()) {
    metadata.set_labels(pod.metadata().labels().Json());
    return out;
  }
  metadata.annotations().Set(names::kPodGroupAnnotation, group);
  if (!part.empty()) metadata.labels().Set(names::kSubGroupLabel, part);
  return out;
}

}  // namespace

json::Value StripPod(const json::Value& object) {
  const view::core::Pod pod(object);
  const std::string_view phase = pod.status().phase();
  if (phase == "Succeeded" || phase == "Failed") return StripEnded(pod);
  json::Value out = object;
  const edit::core::Pod edit(out);
  if (pod.metadata().has_managedFields()) edit.metadata().clear_managedFields();
  if (pod.spec().has_containers()) {
    edit.spec().set_containers(StripContainers(pod.spec().containers()));
  }
  if (pod.spec().has_initContainers()) {
    edit.spec().set_initContainers(StripContainers(pod.spec().initContainers()));
  }
  return out;
}

kube::InformerOptions OwnPodCache() {
  return {.trim = [](json::Value pod) { return StripPod(pod); }};
}

}  // namespace coppice::services::scheduler
