#include "services/platform/model/config_defaults.h"

#include <fmt/format.h>

#include "api/edit/kai.h"
#include "api/labels.h"
#include "json/patch/patch.h"
#include "services/common/names.h"

namespace coppice::services::platform {
namespace {

using json::Value;

constexpr std::string_view kSystemNamespace = "kai-scheduler";
constexpr std::string_view kScaleAdjustName = "kai-scale-adjust";
constexpr std::string_view kCpu = "cpu";
constexpr std::string_view kMemory = "memory";
constexpr std::string_view kNumaNodeLabel = api::labels::kNumaNode;

Value Merged(const Value& defaults, const Value& given) {
  return given.IsObject() ? json::ApplyMergePatch(defaults, given) : defaults;
}

// "registry/path/name:tag" in its parts.
void SplitImage(std::string_view url, edit::kai::ConfigImage image) {
  const size_t slash = url.rfind('/');
  const std::string_view rest = slash == url.npos ? url : url.substr(slash + 1);
  const size_t colon = rest.find(':');
  image.set_name(rest.substr(0, colon));
  if (slash != url.npos) image.set_repository(url.substr(0, slash));
  if (colon != rest.npos) image.set_tag(rest.substr(colon + 1));
}

struct Size {
  std::string_view cpu = "50m", cpu_limit = "100m";
  std::string_view memory = "256Mi", memory_limit = "512Mi";
};

struct Defaults {
  const ImageDefaults& images;
  int64_t replicas;
  const Value& vpa;

  void FillImage(std::string_view name, edit::kai::ConfigImage image) const {
    if (!images.single_image.empty()) {
      SplitImage(images.single_image, image);
    } else {
      image.set_name(name);
      if (!images.repository.empty()) image.set_repository(images.repository);
      if (!images.tag.empty()) image.set_tag(images.tag);
    }
    image.set_pullPolicy("IfNotPresent");
  }

  void FillService(std::string_view image, edit::kai::ConfigService service,
                   const Size& size = {}) const {
    FillImage(image, service.image());
    service.resources().requests().Set(kCpu, size.cpu).Set(kMemory, size.memory);
    service.resources().limits().Set(kCpu, size.cpu_limit).Set(kMemory, size.memory_limit);
    service.k8sClientConfig().set_qps(20).set_burst(100);
    service.podDisruptionBudget().set_enabled(false).set_maxUnavailable(1);
  }

  // What the blocks of all services have.
  template <typename Block>
  void FillBlock(std::string_view image, Block block, const Size& size = {}) const {
    FillService(image, block.service(), size);
    block.service().set_enabled(true);
    if constexpr (requires { block.set_replicas(replicas); }) block.set_replicas(replicas);
    if (!vpa.IsNull()) block.set_vpa(vpa);
  }
};

void FillPort(std::string_view name, int port, int target, edit::kai::ConfigPort out) {
  out.set_name(name).set_port(port).set_targetPort(target);
}

Value GlobalDefaults() {
  Value made;
  const edit::kai::ConfigGlobal global(made);
  global.set_openshift(false)
      .set_additionalImagePullSecrets(Value::Array())
      .set_requireDefaultPodAntiAffinityTerm(false)
      .set_daemonsetsTolerations(Value::Array())
      .set_priorityClassName("")
      .set_queueLabelKey(names::kQueueLabel)
      .set_schedulerName(names::kSchedulerName)
      .set_nodePoolLabelKey(names::kNodePoolLabel)
      .set_namespaceLabelSelector(Value::Object())
      .set_podLabelSelector(Value::Object())
      .set_jsonLog(false)
      .set_singleProcess(false);
  const auto security = global.securityContext();
  security.set_allowPrivilegeEscalation(false).set_runAsNonRoot(true).set_runAsUser(10000);
  security.capabilities().set_drop(Value::Array({"all"}));
  global.vpa().set_enabled(false).updatePolicy().set_updateMode("InPlaceOrRecreate");
  return made;
}

// The deprecated single secret is one of the additional ones.
void FoldPullSecret(Value& global) {
  const view::kai::ConfigGlobal given(global);
  const std::string_view secret = given.imagesPullSecret();
  if (secret.empty()) return;
  Value all = Value::Array({secret});
  for (const std::string_view other : given.additionalImagePullSecrets()) {
    if (other != secret) all.Append(other);
  }
  edit::kai::ConfigGlobal(global).set_additionalImagePullSecrets(std::move(all));
}

void FillPodGrouper(const Defaults& defaults, edit::kai::PodGrouperConfig block) {
  defaults.FillBlock("podgrouper", block);
  block.args().set_genericKartaFallback(true);
}

void FillBinder(const Defaults& defaults, edit::kai::BinderConfig block) {
  defaults.FillBlock("binder", block, {.memory = "200Mi", .memory_limit = "200Mi"});
  block.set_probePort(8081).set_metricsPort(8080);
  const auto reservation = block.resourceReservation();
  defaults.FillImage("resource-reservation", reservation.image());
  reservation.set_namespace_(names::kReservationName)
      .set_serviceAccountName(names::kReservationName)
      .set_appLabel(names::kReservationName);
}

void FillAdmission(const Defaults& defaults, view::kai::AdmissionConfig given,
                   edit::kai::AdmissionConfig block) {
  defaults.FillBlock("admission", block);
  block.webhook().set_port(443).set_targetPort(9443).set_probePort(8081).set_metricsPort(8080);
  block.set_gpuSharing(false)
      .set_blockNvidiaVisibleDevices(false)
      .set_queueLabelSelector(false)
      .set_validatingWebhookConfigurationName("validating-kai-admission")
      .set_mutatingWebhookConfigurationName("mutating-kai-admission");
  if (!given.has_gpuPodRuntimeClassName()) block.set_gpuFractionRuntimeClassName("nvidia");
}

void FillScheduler(const Defaults& defaults, edit::kai::SchedulerConfig block) {
  defaults.FillBlock("scheduler", block, {"250m", "700m", "512Mi", "512Mi"});
  block.set_GOGC(400);
  block.schedulerService().set_type("ClusterIP").set_port(8080).set_targetPort(8080);
}

void FillQueueController(const Defaults& defaults, edit::kai::QueueControllerConfig block) {
  defaults.FillBlock("queuecontroller", block);
  FillPort("metrics", 8080, 8080, block.controllerService().metrics());
  FillPort("webhook", 443, 9443, block.controllerService().webhook());
  block.webhooks().set_enableValidation(true).set_webhookConfigurationNamePrefix(
      "kai-queue-validation-");
}

void FillPodGroupController(const Defaults& defaults, edit::kai::PodGroupControllerConfig block) {
  defaults.FillBlock("podgroupcontroller", block);
  FillPort("webhook", 443, 9443, block.controllerService().webhook());
  block.webhooks().set_enableValidation(true).set_webhookConfigurationNamePrefix(
      "kai-podgroup-validation-");
}

void FillScaleAdjuster(const Defaults& defaults, edit::kai::ScaleAdjusterConfig block) {
  defaults.FillBlock("nodescaleadjuster", block);
  defaults.FillImage("scalingpod", block.args().scalingPodImage());
  block.args()
      .set_nodeScaleNamespace(kScaleAdjustName)
      .set_nodeScaleServiceAccount(kScaleAdjustName);
}

// Whether it is deployed at all depends on the shards, unless the Config says.
void FillNumaExporter(const Defaults& defaults, edit::kai::NumaExporterConfig block) {
  defaults.FillService("numa-placement-exporter", block.service());
  block.nodeSelector().Set(kNumaNodeLabel, "true");
  block.set_podResourcesHostPath("/var/lib/kubelet/pod-resources").set_sysfsHostPath("/sys");
}

void FillPrometheus(edit::kai::PrometheusConfig block) {
  block.set_enabled(false)
      .set_instanceName("prometheus")
      .set_retentionPeriod("2w")
      .set_sampleInterval("1m")
      .set_storageClassName("standard")
      .set_accountingLabelKey(api::kai::names::kAccountingLabel)
      .set_accountingLabelValue("true");
  block.serviceMonitor()
      .set_enabled(true)
      .set_interval("30s")
      .set_scrapeTimeout("10s")
      .set_bearerTokenFile("/var/run/secrets/kubernetes.io/serviceaccount/token");
  block.externalPrometheusHealthProbe().set_interval(30).set_timeout(10).set_maxRetries(5);
}

}  // namespace

Value ConfigWithDefaults(const Value& given, const ImageDefaults& images) {
  const view::kai::ConfigSpec spec(given);
  Value global = Merged(GlobalDefaults(), spec.global().Json());
  FoldPullSecret(global);
  const view::kai::ConfigGlobal common(global);
  const Defaults defaults{images, common.replicaCount(1), common.vpa().Json()};
  Value full;
  const edit::kai::ConfigSpec all(full);
  all.set_namespace_(kSystemNamespace);
  FillPodGrouper(defaults, all.podGrouper());
  FillBinder(defaults, all.binder());
  FillAdmission(defaults, spec.admission(), all.admission());
  FillScheduler(defaults, all.scheduler());
  FillQueueController(defaults, all.queueController());
  FillPodGroupController(defaults, all.podGroupController());
  FillScaleAdjuster(defaults, all.nodeScaleAdjuster());
  FillNumaExporter(defaults, all.numaPlacementExporter());
  FillPrometheus(all.prometheus());
  Value merged = Merged(full, given);
  edit::kai::ConfigSpec(merged).set_global(std::move(global));
  return merged;
}

std::string ImageUrl(view::kai::ConfigImage image) {
  return fmt::format("{}{}{}{}{}", image.repository(), image.repository().empty() ? "" : "/",
                     image.name(), image.tag().empty() ? "" : ":", image.tag());
}

}  // namespace coppice::services::platform
