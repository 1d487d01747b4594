#include "cli/snapshot/redact.h"

#include <vector>

#include "api/edit/any.h"
#include "api/edit/core.h"
#include "api/key/core.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using json::Value;
using ContainerKey = key::core::Container;

Value WithoutSecrets(view::List<view::core::Container> containers) {
  Value out = Value::Array();
  for (const view::core::Container container : containers) {
    Value kept = container.Json();
    for (const std::string_view field :
         {ContainerKey::env, ContainerKey::envFrom, ContainerKey::command, ContainerKey::args,
          ContainerKey::lifecycle, ContainerKey::livenessProbe, ContainerKey::readinessProbe,
          ContainerKey::startupProbe}) {
      kept.Erase(field);
    }
    out.Append(std::move(kept));
  }
  return out;
}

void RedactPod(Value& object) {
  const view::core::PodSpec spec = view::core::Pod(object).spec();
  Value containers = WithoutSecrets(spec.containers());
  Value init = WithoutSecrets(spec.initContainers());
  const edit::core::PodSpec edit = edit::core::Pod(object).spec();
  edit.set_containers(std::move(containers));
  if (!init.empty()) edit.set_initContainers(std::move(init));
}

}  // namespace

Value Redact(Value object) {
  const edit::meta::ObjectMeta metadata = edit::any::Object(object).metadata();
  metadata.clear_managedFields();
  if (!kube::Annotation(object, api::labels::kLastApplied).empty()) {
    metadata.annotations().Erase(api::labels::kLastApplied);
  }
  if (kube::Kind(object) == "Pod") RedactPod(object);
  if (kube::Kind(object) == "ConfigMap") {
    object.Erase(key::core::ConfigMap::data);
    object.Erase(key::core::ConfigMap::binaryData);
  }
  return object;
}

}  // namespace coppice::cli
