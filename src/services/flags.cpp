#include "services/flags.h"

#include <algorithm>

#include "services/admission/placement_file.h"
#include "services/scheduler/options/flags.h"

namespace coppice::services {
namespace {

void AddProcessFlags(ProcessOptions& process, FlagSet& flags) {
  flags.Text("kubeconfig", process.kubeconfig)
      .Text("context", process.context)
      .Text("config", process.config)
      .Switch("dry-run", process.dry_run)
      .Switch("without-backends", process.without_backends)
      .Text("lease-namespace", process.lease_namespace)
      .Text("admin-address", process.admin_address)
      .Switch("leader-elect", process.leader_elect)
      .Number("qps", process.qps)
      .Integer("burst", process.burst)
      .Integer("max-requests-in-flight", process.max_requests_in_flight)
      .Number("max-requests-per-second", process.max_requests_per_second)
      .Text("metrics-bind-address", process.metrics_address)
      .Text("metrics-listen-address", process.metrics_address)
      .Text("listen-address", process.metrics_address)
      .Text("health-probe-bind-address", process.probe_address)
      .Switch("log-json", process.json_log)
      .Text("zap-log-level", process.log_level)
      .Text("webhook-certificates", process.webhook_certificates)
      .Integer("webhook-addr", process.webhook_port)
      .Text("webhook-url", process.webhook_url)
      .Text("webhook-service", process.webhook_service)
      .Custom("zap-devel",
              [&process](std::string_view value) -> base::Status {
                process.json_log = value == "false";
                return {};
              })
      .Custom("zap-encoder", [&process](std::string_view value) -> base::Status {
        process.json_log = value == "json";
        return {};
      });
  for (const char* name :
       {"zap-stacktrace-level", "zap-time-encoding", "feature-gates", "log-level"}) {
    flags.Ignored(name);
  }
}

void AddGrouperFlags(grouper::Options& options, FlagSet& flags) {
  flags.Text("scheduler-name", options.scheduler_name)
      .Text("queue-label-key", options.queue_label_key)
      .Text("nodepool-label-key", options.node_pool_label_key)
      .Text("pod-label-selector", options.pod_label_selector)
      .Text("namespace-label-selector", options.namespace_label_selector)
      .Switch("knative-gang-schedule", options.knative_gang_schedule)
      .Switch("generic-karta-fallback", options.karta_fallback)
      .Switch("search-legacy-pg", options.search_legacy_groups)
      .Text("default-priorities-configmap-name", options.defaults_config_map)
      .Text("default-priorities-configmap-namespace", options.defaults_config_map_namespace)
      .Integer("max-concurrent-reconciles", options.workers);
}

// --PREFIX-image and --PREFIX-command: another image than ours runs its own command, unless one is
// given too.
void AddImageFlags(const std::string& prefix, std::string& image, std::vector<std::string>& command,
                   FlagSet& flags) {
  auto commanded = std::make_shared<bool>(false);
  flags.Custom(
      prefix + "-image",
      [&image, &command, commanded](std::string_view value) -> base::Status {
        image = value;
        if (!*commanded) command.clear();
        return {};
      },
      image);
  flags
      .Custom(prefix + "-command",
              [commanded](std::string_view) -> base::Status {
                *commanded = true;
                return {};
              })
      .Words(prefix + "-command", command);
}

void AddBinderFlags(binder::Options& options, FlagSet& flags) {
  AddImageFlags("resource-reservation-pod", options.reservation_image, options.reservation_command,
                flags);
  flags.Text("scheduler-name", options.scheduler_name)
      .Text("resource-reservation-namespace", options.reservation_namespace)
      .Text("resource-reservation-service-account", options.reservation_service_account)
      .Text("resource-reservation-app-label", options.reservation_app_label)
      .Seconds("resource-reservation-allocation-timeout", options.reservation_timeout)
      .Json("resource-reservation-pod-resources", options.reservation_resources)
      .Json("resource-reservation-pod-security-context", options.reservation_pod_security_context)
      .Json("resource-reservation-container-security-context",
            options.reservation_container_security_context)
      .Text("runtime-class-name", options.runtime_class_name)
      .Text("scale-adjust-namespace", options.scale_adjust_namespace)
      .Integer("max-concurrent-reconciles", options.workers)
      .Seconds("rate-limiter-base-delay", options.retry.first)
      .Seconds("rate-limiter-max-delay", options.retry.most)
      .Switch("fake-gpu-nodes", options.fake_gpu_nodes)
      .Custom("plugins", [&options](std::string_view value) -> base::Status {
        COPPICE_ASSIGN(options.plugins, binder::MergePluginConfigs(value));
        return {};
      });
}

void AddPodGroupFlags(AllOptions& options, FlagSet& flags) {
  flags.Text("scheduler-name", options.podgroups.scheduler_name)
      .Integer("max-concurrent-reconciles", options.podgroups.workers)
      .Switch("enable-podgroup-webhook", options.podgroup_webhook)
      .IgnoredSwitch("skip-controller-name-validation");
}

void AddQueueFlags(AllOptions& options, FlagSet& flags) {
  flags.Text("metrics-namespace", options.queues.metrics_namespace)
      .Pairs("queue-label-to-metric-label", options.queues.label_to_metric_label)
      .Pairs("queue-label-to-default-metric-value", options.queues.label_to_default_value)
      .Switch("enable-webhook", options.queue_webhook)
      .Switch("enable-quota-validation", options.admission.quota_validation)
      .IgnoredSwitch("skip-controller-name-validation");
}

void AddAdmissionFlags(admission::Options& options, FlagSet& flags) {
  flags.Text("scheduler-name", options.scheduler_name)
      .Switch("gpu-sharing-enabled", options.gpu_sharing_enabled)
      .Switch("hami-core-enabled", options.hami_core_enabled)
      .Switch("block-nvidia-visible-devices", options.block_nvidia_visible_devices)
      .Switch("guard-queue-deletion", options.guard_queue_deletion)
      .Custom("placement-rules",
              [&options](std::string_view value) -> base::Status {
                COPPICE_ASSIGN(options.placement, admission::ReadPlacementRules(value));
                return {};
              })
      .IgnoredSwitch("fake-gpu-nodes")
      .Ignored("rate-limiter-base-delay")
      .Ignored("rate-limiter-max-delay");
  // The deprecated flag counts only where the new one is not given.
  auto explicitly = std::make_shared<bool>(false);
  flags.Custom(
      "gpu-fraction-runtime-class-name",
      [&options, explicitly](std::string_view value) -> base::Status {
        *explicitly = true;
        options.gpu_fraction_runtime_class_name = value;
        return {};
      },
      options.gpu_fraction_runtime_class_name);
  flags.Custom("gpu-pod-runtime-class-name",
               [&options, explicitly](std::string_view value) -> base::Status {
                 if (!*explicitly) options.gpu_fraction_runtime_class_name = value;
                 return {};
               });
}

void AddScaleAdjusterFlags(scaleadjuster::Options& options, FlagSet& flags) {
  AddImageFlags("scaling-pod", options.scaling_pod_image, options.scaling_pod_command, flags);
  flags.Text("scheduler-name", options.scheduler_name)
      .Text("scale-adjust-namespace", options.ns)
      .Text("scaling-pod-app-label", options.app_label)
      .Text("scaling-pod-service-account", options.service_account)
      .Number("gpu-memory-to-fraction-ratio", options.memory_to_fraction);
}

void AddNumaExporterFlags(numaexporter::Options& options, FlagSet& flags) {
  flags.Text("node-name", options.node_name)
      .Text("podresources-socket", options.socket)
      .Text("sysfs-root", options.sysfs_root)
      .Duration("poll-interval", options.poll_interval)
      .Duration("drift-resync-interval", options.drift_resync_interval);
}

void AddPlatformFlags(platform::Options& options, FlagSet& flags) {
  flags.Text("namespace", options.ns)
      .Text("image", options.images.single_image)
      .Ignored("image-pull-secret");
}

void AddComponentFlags(const std::string& component, AllOptions& options, FlagSet& flags) {
  if (component == "scheduler") scheduler::AddFlags(options.scheduler, flags);
  if (component == "binder") AddBinderFlags(options.binder, flags);
  if (component == "grouper") AddGrouperFlags(options.grouper, flags);
  if (component == "podgroups") AddPodGroupFlags(options, flags);
  if (component == "queues") AddQueueFlags(options, flags);
  if (component == "admission") AddAdmissionFlags(options.admission, flags);
  if (component == "scaleadjuster") AddScaleAdjusterFlags(options.scaleadjuster, flags);
  if (component == "numaexporter") AddNumaExporterFlags(options.numaexporter, flags);
  if (component == "platform") AddPlatformFlags(options.platform, flags);
}

}  // namespace

base::Result<std::vector<std::string>> FindComponents(const std::vector<std::string>& arguments) {
  static const std::vector<std::string> kAll = {"scheduler", "binder",        "grouper",
                                                "podgroups", "queues",        "admission",
                                                "platform",  "scaleadjuster", "numaexporter"};
  AllOptions scratch;
  FlagSet flags;
  flags.IgnoredSwitch("print").IgnoredSwitch("simulated");
  AddProcessFlags(scratch.process, flags);
  for (const std::string& component : kAll) AddComponentFlags(component, scratch, flags);
  std::vector<std::string> words;
  COPPICE_TRY(flags.Parse(arguments, &words));
  return words;
}

base::Status ReadFlags(const std::vector<std::string>& components,
                       const std::vector<std::string>& arguments, AllOptions& options) {
  FlagSet flags;
  AddProcessFlags(options.process, flags);
  for (const std::string& component : components) AddComponentFlags(component, options, flags);
  std::vector<std::string> words;
  COPPICE_TRY(flags.Parse(arguments, &words));
  return scheduler::LoadConfigFile(options.scheduler);
}

base::Status ReadComponentFlags(const std::vector<std::string>& components,
                                const std::vector<std::string>& arguments, AllOptions& options) {
  FlagSet flags;
  for (const std::string& component : components) AddComponentFlags(component, options, flags);
  COPPICE_TRY(flags.Parse(arguments));
  return scheduler::LoadConfigFile(options.scheduler);
}

std::vector<FlagSet::Entry> ListComponentFlags(const std::vector<std::string>& components) {
  AllOptions defaults;
  FlagSet flags;
  for (const std::string& component : components) AddComponentFlags(component, defaults, flags);
  return flags.List();
}

std::vector<FlagSet::Entry> ListFlags(const std::vector<std::string>& components) {
  AllOptions defaults;
  FlagSet flags;
  AddProcessFlags(defaults.process, flags);
  for (const std::string& component : components) AddComponentFlags(component, defaults, flags);
  return flags.List();
}

std::string LeaseName(const std::string& component, const AllOptions& options) {
  if (component == "grouper") return "54dff599.kai.scheduler";
  if (component == "podgroups") return "o1x22tjj.kai.scheduler";
  if (component == "queues") return "ov3xj497.kai.scheduler";
  if (component == "binder") return "2ad35f9c.kai.scheduler";
  if (component == "admission") return "ojptxr84.kai.scheduler";
  if (component == "scaleadjuster") return "7n7h49uc.kai.scheduler";
  if (component == "platform") return "41fce092.run.ai";
  if (component != "scheduler") return "";
  return options.scheduler.ControllerName();
}

}  // namespace coppice::services
