#include "services/platform/config_defaults.h"

#include <fmt/format.h>

#include "json/patch.h"

namespace coppice::services::platform {
namespace {

using json::Value;

Value Merged(const Value& defaults, const Value& given) {
  return given.IsObject() ? json::ApplyMergePatch(defaults, given) : defaults;
}

// "registry/path/name:tag" in its parts.
Value SplitImage(std::string_view url) {
  const size_t slash = url.rfind('/');
  const std::string_view rest = slash == url.npos ? url : url.substr(slash + 1);
  const size_t colon = rest.find(':');
  Value image = Value::Object({{"name", rest.substr(0, colon)}});
  if (slash != url.npos) image.Set("repository", url.substr(0, slash));
  if (colon != rest.npos) image.Set("tag", rest.substr(colon + 1));
  return image;
}

struct Defaults {
  const ImageDefaults& images;
  int64_t replicas;
  Value vpa;

  Value Image(std::string_view name) const {
    Value image;
    if (!images.single_image.empty()) {
      image = SplitImage(images.single_image);
    } else {
      image.Set("name", name);
      if (!images.repository.empty()) image.Set("repository", images.repository);
      if (!images.tag.empty()) image.Set("tag", images.tag);
    }
    return image.Set("pullPolicy", "IfNotPresent");
  }

  static Value Resources(std::string_view cpu, std::string_view cpu_limit, std::string_view memory,
                         std::string_view memory_limit) {
    return Value::Object(
        {{"requests", Value::Object({{"cpu", cpu}, {"memory", memory}})},
         {"limits", Value::Object({{"cpu", cpu_limit}, {"memory", memory_limit}})}});
  }

  Value Service(std::string_view image, Value resources) const {
    return Value::Object(
        {{"enabled", true},
         {"image", Image(image)},
         {"resources", std::move(resources)},
         {"k8sClientConfig", Value::Object({{"qps", 20}, {"burst", 100}})},
         {"podDisruptionBudget", Value::Object({{"enabled", false}, {"maxUnavailable", 1}})}});
  }

  Value Service(std::string_view image) const {
    return Service(image, Resources("50m", "100m", "256Mi", "512Mi"));
  }

  Value Block(Value service, Value more) const {
    Value block = Value::Object({{"service", std::move(service)}, {"replicas", replicas}});
    if (!vpa.IsNull()) block.Set("vpa", vpa);
    return Merged(block, more);
  }
};

Value Port(std::string_view name, int port, int target) {
  return Value::Object({{"name", name}, {"port", port}, {"targetPort", target}});
}

Value Webhooks(std::string_view prefix) {
  return Value::Object({{"enableValidation", true}, {"webhookConfigurationNamePrefix", prefix}});
}

Value GlobalDefaults() {
  return Value::Object(
      {{"openshift", false},
       {"securityContext",
        Value::Object({{"allowPrivilegeEscalation", false},
                       {"runAsNonRoot", true},
                       {"runAsUser", 10000},
                       {"capabilities", Value::Object({{"drop", Value::Array({"all"})}})}})},
       {"additionalImagePullSecrets", Value::Array()},
       {"requireDefaultPodAntiAffinityTerm", false},
       {"daemonsetsTolerations", Value::Array()},
       {"priorityClassName", ""},
       {"queueLabelKey", "kai.scheduler/queue"},
       {"schedulerName", "kai-scheduler"},
       {"nodePoolLabelKey", "kai.scheduler/node-pool"},
       {"namespaceLabelSelector", Value::Object()},
       {"podLabelSelector", Value::Object()},
       {"jsonLog", false},
       {"singleProcess", false},
       {"vpa",
        Value::Object({{"enabled", false},
                       {"updatePolicy", Value::Object({{"updateMode", "InPlaceOrRecreate"}})}})}});
}

// The deprecated single secret is one of the additional ones.
void FoldPullSecret(Value& global) {
  const std::string secret = global["imagesPullSecret"].ToString();
  if (secret.empty()) return;
  Value all = Value::Array({secret});
  for (const Value& other : global["additionalImagePullSecrets"].Items()) {
    if (other.AsString() != secret) all.Append(other);
  }
  global.Set("additionalImagePullSecrets", std::move(all));
}

Value BinderDefaults(const Defaults& defaults) {
  const Value reservation = Value::Object({{"image", defaults.Image("resource-reservation")},
                                           {"namespace", "kai-resource-reservation"},
                                           {"serviceAccountName", "kai-resource-reservation"},
                                           {"appLabel", "kai-resource-reservation"}});
  return defaults.Block(
      defaults.Service("binder", Defaults::Resources("50m", "100m", "200Mi", "200Mi")),
      Value::Object(
          {{"resourceReservation", reservation}, {"probePort", 8081}, {"metricsPort", 8080}}));
}

Value AdmissionDefaults(const Defaults& defaults, const Value& given) {
  Value block = defaults.Block(
      defaults.Service("admission"),
      Value::Object(
          {{"webhook",
            Value::Object(
                {{"port", 443}, {"targetPort", 9443}, {"probePort", 8081}, {"metricsPort", 8080}})},
           {"gpuSharing", false},
           {"blockNvidiaVisibleDevices", false},
           {"queueLabelSelector", false},
           {"validatingWebhookConfigurationName", "validating-kai-admission"},
           {"mutatingWebhookConfigurationName", "mutating-kai-admission"}}));
  if (!given.Has("gpuPodRuntimeClassName")) block.Set("gpuFractionRuntimeClassName", "nvidia");
  return block;
}

Value SchedulerDefaults(const Defaults& defaults) {
  return defaults.Block(
      defaults.Service("scheduler", Defaults::Resources("250m", "700m", "512Mi", "512Mi")),
      Value::Object(
          {{"GOGC", 400},
           {"schedulerService",
            Value::Object({{"type", "ClusterIP"}, {"port", 8080}, {"targetPort", 8080}})}}));
}

Value ScaleAdjusterDefaults(const Defaults& defaults) {
  Value block = defaults.Block(
      defaults.Service("nodescaleadjuster"),
      Value::Object({{"args", Value::Object({{"scalingPodImage", defaults.Image("scalingpod")},
                                             {"nodeScaleNamespace", "kai-scale-adjust"},
                                             {"nodeScaleServiceAccount", "kai-scale-adjust"}})}}));
  block.Erase("replicas");
  return block;
}

// Whether it is deployed at all depends on the shards, unless the Config says.
Value NumaExporterDefaults(const Defaults& defaults) {
  Value service = defaults.Service("numa-placement-exporter");
  service.Erase("enabled");
  return Value::Object(
      {{"service", std::move(service)},
       {"nodeSelector", Value::Object({{"feature.node.kubernetes.io/memory-numa", "true"}})},
       {"podResourcesHostPath", "/var/lib/kubelet/pod-resources"},
       {"sysfsHostPath", "/sys"}});
}

Value PrometheusDefaults() {
  return Value::Object(
      {{"enabled", false},
       {"instanceName", "prometheus"},
       {"retentionPeriod", "2w"},
       {"sampleInterval", "1m"},
       {"storageClassName", "standard"},
       {"serviceMonitor", Value::Object({{"enabled", true},
                                         {"interval", "30s"},
                                         {"scrapeTimeout", "10s"},
                                         {"bearerTokenFile",
                                          "/var/run/secrets/kubernetes.io/serviceaccount/token"}})},
       {"externalPrometheusHealthProbe",
        Value::Object({{"interval", 30}, {"timeout", 10}, {"maxRetries", 5}})},
       {"accountingLabelKey", "kai.scheduler/accounting"},
       {"accountingLabelValue", "true"}});
}

}  // namespace

Value ConfigWithDefaults(const Value& spec, const ImageDefaults& images) {
  Value global = Merged(GlobalDefaults(), spec["global"]);
  FoldPullSecret(global);
  const Defaults defaults{images, global["replicaCount"].AsInt(1), global["vpa"]};
  const Value full = Value::Object(
      {{"namespace", "kai-scheduler"},
       {"podGrouper",
        defaults.Block(defaults.Service("podgrouper"),
                       Value::Object({{"args", Value::Object({{"genericKartaFallback", true}})}}))},
       {"binder", BinderDefaults(defaults)},
       {"admission", AdmissionDefaults(defaults, spec["admission"])},
       {"scheduler", SchedulerDefaults(defaults)},
       {"queueController",
        defaults.Block(defaults.Service("queuecontroller"),
                       Value::Object({{"controllerService",
                                       Value::Object({{"metrics", Port("metrics", 8080, 8080)},
                                                      {"webhook", Port("webhook", 443, 9443)}})},
                                      {"webhooks", Webhooks("kai-queue-validation-")}}))},
       {"podGroupController",
        defaults.Block(defaults.Service("podgroupcontroller"),
                       Value::Object({{"controllerService",
                                       Value::Object({{"webhook", Port("webhook", 443, 9443)}})},
                                      {"webhooks", Webhooks("kai-podgroup-validation-")}}))},
       {"nodeScaleAdjuster", ScaleAdjusterDefaults(defaults)},
       {"numaPlacementExporter", NumaExporterDefaults(defaults)},
       {"prometheus", PrometheusDefaults()}});
  return Merged(full, spec).Set("global", std::move(global));
}

std::string ImageUrl(const Value& image) {
  const std::string name = image["name"].ToString();
  const std::string tag = image["tag"].ToString();
  const std::string repository = image["repository"].ToString();
  return fmt::format("{}{}{}", repository.empty() ? "" : repository + "/", name,
                     tag.empty() ? "" : ":" + tag);
}

}  // namespace coppice::services::platform
