#include "server/kinds/pod/pod_spec.h"

namespace coppice::server {
namespace {

constexpr int64_t kDefaultMode = 0644;

// Without a tag, or with latest, the image may change under the same name.
std::string_view PullPolicyFor(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return "IfNotPresent";
  const size_t slash = image.rfind('/');
  const size_t colon = image.rfind(':');
  const bool has_tag =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return !has_tag || image.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

void DefaultHttpGet(json::Value& handler) {
  json::Value* get = handler.FindMutable("httpGet");
  if (!get) return;
  if ((*get)["path"].AsString().empty()) get->Set("path", "/");
  get->SetDefault("scheme", "HTTP");
}

void DefaultProbe(json::Value& container, std::string_view name) {
  json::Value* probe = container.FindMutable(name);
  if (!probe) return;
  probe->SetDefault("timeoutSeconds", 1);
  probe->SetDefault("periodSeconds", 10);
  probe->SetDefault("successThreshold", 1);
  probe->SetDefault("failureThreshold", 3);
  DefaultHttpGet(*probe);
  if (json::Value* grpc = probe->FindMutable("grpc")) grpc->SetDefault("service", "");
}

void DefaultEnvironment(json::Value& container) {
  json::Value* env = container.FindMutable("env");
  if (!env) return;
  for (json::Value& variable : env->MutableItems()) {
    json::Value* from = variable.FindMutable("valueFrom");
    json::Value* field = from ? from->FindMutable("fieldRef") : nullptr;
    if (field) field->SetDefault("apiVersion", "v1");
  }
}

void DefaultContainer(json::Value& container) {
  container.SetDefault("terminationMessagePath", "/dev/termination-log");
  container.SetDefault("terminationMessagePolicy", "File");
  container.SetDefault("imagePullPolicy", PullPolicyFor(container["image"].AsString()));
  container.SetDefault("resources", json::Value::Object());
  for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    DefaultProbe(container, probe);
  }
  if (json::Value* lifecycle = container.FindMutable("lifecycle")) {
    for (const char* hook : {"postStart", "preStop"}) {
      if (json::Value* handler = lifecycle->FindMutable(hook)) DefaultHttpGet(*handler);
    }
  }
  if (json::Value* ports = container.FindMutable("ports")) {
    for (json::Value& port : ports->MutableItems()) port.SetDefault("protocol", "TCP");
  }
  DefaultEnvironment(container);
}

void DefaultItems(json::Value& downward) {
  json::Value* items = downward.FindMutable("items");
  if (!items || !items->IsArray()) return;
  for (json::Value& item : items->MutableItems()) {
    if (json::Value* field = item.FindMutable("fieldRef")) field->SetDefault("apiVersion", "v1");
  }
}

void DefaultProjected(json::Value& projected) {
  projected.SetDefault("defaultMode", kDefaultMode);
  json::Value* sources = projected.FindMutable("sources");
  if (!sources) return;
  for (json::Value& source : sources->MutableItems()) {
    if (json::Value* token = source.FindMutable("serviceAccountToken")) {
      token->SetDefault("expirationSeconds", 3600);
    }
    if (json::Value* downward = source.FindMutable("downwardAPI")) DefaultItems(*downward);
  }
}

void DefaultVolume(json::Value& volume) {
  if (volume.size() <= 1) volume.Set("emptyDir", json::Value::Object());
  for (const char* source : {"secret", "configMap", "downwardAPI"}) {
    if (json::Value* found = volume.FindMutable(source)) {
      found->SetDefault("defaultMode", kDefaultMode);
    }
  }
  if (json::Value* downward = volume.FindMutable("downwardAPI")) DefaultItems(*downward);
  if (json::Value* projected = volume.FindMutable("projected")) DefaultProjected(*projected);
  if (json::Value* path = volume.FindMutable("hostPath")) path->SetDefault("type", "");
  if (json::Value* ephemeral = volume.FindMutable("ephemeral")) {
    if (json::Value* claim = ephemeral->FindMutable("volumeClaimTemplate")) {
      claim->Mutable("spec").SetDefault("volumeMode", "Filesystem");
    }
  }
}

void DefaultHostPorts(json::Value& container) {
  json::Value* ports = container.FindMutable("ports");
  if (!ports) return;
  for (json::Value& port : ports->MutableItems())
    port.SetDefault("hostPort", port["containerPort"]);
}

}  // namespace

void DefaultPodSpec(json::Value& spec) {
  spec.SetDefault("restartPolicy", "Always");
  spec.SetDefault("dnsPolicy", "ClusterFirst");
  spec.SetDefault("schedulerName", "default-scheduler");
  spec.SetDefault("terminationGracePeriodSeconds", 30);
  if (spec["terminationGracePeriodSeconds"].AsInt() < 0) {
    spec.Set("terminationGracePeriodSeconds", 1);
  }
  spec.SetDefault("securityContext", json::Value::Object());
  if (spec["schedulerName"].AsString().empty()) spec.Set("schedulerName", "default-scheduler");
  // The old and the new name of one field.
  if (!spec["serviceAccountName"].AsString().empty()) {
    spec.Set("serviceAccount", spec["serviceAccountName"]);
  } else if (!spec["serviceAccount"].AsString().empty()) {
    spec.Set("serviceAccountName", spec["serviceAccount"]);
  }
  for (const char* list : {"containers", "initContainers", "ephemeralContainers"}) {
    json::Value* containers = spec.FindMutable(list);
    if (!containers || !containers->IsArray()) continue;
    for (json::Value& container : containers->MutableItems()) {
      DefaultContainer(container);
      if (spec["hostNetwork"].AsBool()) DefaultHostPorts(container);
    }
  }
  if (json::Value* volumes = spec.FindMutable("volumes")) {
    for (json::Value& volume : volumes->MutableItems()) DefaultVolume(volume);
  }
}

void DefaultPodTemplate(json::Value& pod_template) {
  if (!pod_template.IsObject()) return;
  pod_template.SetDefault("metadata", json::Value::Object());
  DefaultPodSpec(pod_template.Mutable("spec"));
}

}  // namespace coppice::server
