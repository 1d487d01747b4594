#include "services/flag_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "services/flags.h"

namespace coppice::services {
namespace {

struct Help {
  std::string_view name;
  std::string_view text;
};

// By name.
constexpr Help kHelp[] = {
    {"admin-address", "Address for /metrics, /healthz, /readyz and /loglevel"},
    {"allow-consolidating-reclaim", "Let reclaim move other queues' pods instead of evicting them"},
    {"bind-directly", "Bind pods that need only a node without a BindRequest"},
    {"block-nvidia-visible-devices", "Reject pods that select GPUs with NVIDIA_VISIBLE_DEVICES"},
    {"burst", "Accepted for compatibility with KAI; ignored"},
    {"config", "Configuration file of the operator"},
    {"context", "Kubeconfig context"},
    {"cpu-worker-node-label-key", "Label of nodes for pods without GPUs"},
    {"decision-log", "File that keeps the last decisions, for `coppice replay`"},
    {"decision-log-mib", "Limit of the decision log's size, in MiB"},
    {"default-priorities-configmap-name",
     "ConfigMap with priority class and preemptibility per workload kind"},
    {"default-priorities-configmap-namespace", "Namespace of that ConfigMap"},
    {"default-staleness-grace-period",
     "How long a gang may run below its minimum before it is evicted"},
    {"detailed-fit-errors", "List every node in the reasons why a pod is pending"},
    {"drift-resync-interval", "How often to compare all annotations with the API"},
    {"dry-run", "Check the configuration and exit"},
    {"enable-podgroup-webhook", "Validate PodGroups in a webhook"},
    {"enable-quota-validation", "Warn about queues whose quota exceeds that of their parent"},
    {"enable-webhook", "Validate queues in a webhook"},
    {"fake-gpu-nodes", "Nodes have fake GPUs: do not wait for reservation pods"},
    {"full-hierarchy-fairness",
     "Compute fair shares over the whole queue tree, not only its leaves"},
    {"generic-karta-fallback", "Group unknown kinds by their Karta description"},
    {"gpu-fraction-runtime-class-name", "Runtime class of pods that share a GPU"},
    {"gpu-memory-to-fraction-ratio",
     "Fraction of a GPU that a scaling pod requests for a request by memory"},
    {"gpu-pod-runtime-class-name", "Deprecated: use --gpu-fraction-runtime-class-name"},
    {"gpu-sharing-enabled", "Allow pods to request part of a GPU"},
    {"gpu-worker-node-label-key", "Label of nodes for pods with GPUs"},
    {"guard-queue-deletion", "Reject the deletion of queues that have children"},
    {"hami-core-enabled", "Let HAMi-core limit the memory of pods that share a GPU"},
    {"health-probe-bind-address", "Address for /healthz and /readyz"},
    {"image", "Image of the processes that it deploys"},
    {"knative-gang-schedule", "Group the pods of a Knative revision"},
    {"kubeconfig", "Kubeconfig file"},
    {"leader-elect", "Work only while holding a Lease"},
    {"lease-namespace", "Namespace of the Lease"},
    {"listen-address", "Address for /metrics"},
    {"log-json", "Log as JSON"},
    {"max-concurrent-reconciles", "Maximum number of concurrent reconciles"},
    {"max-consolidation-preemptees",
     "Maximum number of jobs that consolidation may move for one job; -1: no limit"},
    {"max-requests-in-flight",
     "Maximum number of concurrent API requests; 0: adapt to the API server"},
    {"max-requests-per-second", "Maximum number of API requests per second; 0: no limit"},
    {"metrics-bind-address", "Address for /metrics"},
    {"metrics-listen-address", "Address for /metrics"},
    {"metrics-namespace", "Prefix of the metric names"},
    {"mig-worker-node-label-key", "Label of nodes for pods with MIG devices"},
    {"namespace", "Namespace that it runs in"},
    {"namespace-label-selector", "Group only pods in namespaces with these labels"},
    {"node-name", "Name of the node it runs on"},
    {"nodepool-label-key", "Label that assigns nodes, queues and pods to a pool"},
    {"num-of-status-recording-workers", "Number of concurrent status writers"},
    {"partition-label-value", "Pool that this scheduler serves; empty: nodes without the label"},
    {"placement-rules",
     "Default scheduler and queue by namespace: a file, or the rules as {rules: …}"},
    {"plugin-server-port",
     "Port on 127.0.0.1 for snapshots, the job order, /what-if and /eta; 0: off"},
    {"plugins", "Configuration of the binder's plugins, as JSON"},
    {"pod-label-selector", "Group only pods with these labels"},
    {"podresources-socket", "Socket of the kubelet's pod resources API"},
    {"poll-interval", "How often to query the kubelet"},
    {"qps", "Accepted for compatibility with KAI; ignored"},
    {"queue-label-key", "Label that names a pod's queue"},
    {"queue-label-to-default-metric-value", "Metric values for labels that a queue does not have"},
    {"queue-label-to-metric-label", "Queue labels to add to metrics, and their metric names"},
    {"rate-limiter-base-delay", "Initial back-off after a failed bind"},
    {"rate-limiter-max-delay", "Maximum back-off after failed binds"},
    {"resource-reservation-allocation-timeout",
     "How long to wait for a reservation pod to report its GPU"},
    {"resource-reservation-app-label", "Label app of reservation pods"},
    {"resource-reservation-container-security-context",
     "Container security context of reservation pods"},
    {"resource-reservation-namespace", "Namespace of reservation pods"},
    {"resource-reservation-pod-command", "Command of reservation pods"},
    {"resource-reservation-pod-image", "Image of reservation pods"},
    {"resource-reservation-pod-resources",
     "Requests and limits of reservation pods, besides the GPU"},
    {"resource-reservation-pod-security-context", "Security context of reservation pods"},
    {"resource-reservation-service-account", "Service account of reservation pods"},
    {"restrict-node-scheduling", "Use only nodes with worker labels"},
    {"runtime-class-name", "Runtime class of reservation pods"},
    {"scale-adjust-namespace", "Namespace of scaling pods"},
    {"scaling-pod-app-label", "Label app of scaling pods"},
    {"scaling-pod-command", "Command of scaling pods"},
    {"scaling-pod-image", "Image of scaling pods"},
    {"scaling-pod-service-account", "Service account of scaling pods"},
    {"schedule-csi-storage", "Take the capacity of CSI storage into account"},
    {"schedule-period",
     "Time between cycles while something is pending; changes trigger a cycle at once"},
    {"scheduler-conf", "Configuration file with actions and plugins, in KAI's format"},
    {"scheduler-name", "schedulerName of the pods to handle"},
    {"search-legacy-pg", "Look for PodGroups under the names of earlier releases"},
    {"stuck-in-releasing-threshold",
     "After this long, a terminating pod counts as stuck and keeps its resources"},
    {"surplus-delay",
     "How long pods beyond their gang's minimum wait for a pending gang of the same set; 0: off"},
    {"sysfs-root", "Mount point of the node's sysfs"},
    {"update-pod-eviction-condition", "Set a condition with the reason on evicted pods"},
    {"use-scheduling-signatures", "Do not retry jobs like one that did not fit in the same cycle"},
    {"webhook-addr", "Port of the webhooks"},
    {"webhook-certificates", "Folder with the webhooks' certificate"},
    {"webhook-service", "Service under which the services' webhooks are registered"},
    {"webhook-url", "Serve the operator's webhooks; API servers reach them at this URL"},
    {"without-backends", "Run the operator without backends; they run in separate processes"},
    {"zap-devel", "false: log as JSON"},
    {"zap-encoder", "json or console"},
    {"zap-log-level", "debug, info, warn or error"},
};

// `coppice run --help` lists these by itself.
const std::set<std::string_view> kOfEveryProcess = {
    "admin-address", "config",      "context",         "dry-run",         "kubeconfig",
    "leader-elect",  "webhook-url", "lease-namespace", "webhook-service", "without-backends"};

constexpr size_t kTextColumn = 46;

std::string Line(const FlagSet::Entry& flag) {
  std::string left = "  --" + flag.name;
  if (!flag.form.empty()) left += " " + flag.form;
  if (!flag.initial.empty()) left += "=" + flag.initial;
  const std::string_view gap = left.size() < kTextColumn ? "" : "\n";
  return fmt::format("{}{}{:{}}{}\n", left, gap, "",
                     gap.empty() ? kTextColumn - left.size() : kTextColumn, HelpOfFlag(flag.name));
}

}  // namespace

std::string_view HelpOfFlag(std::string_view name) {
  const auto found = std::ranges::lower_bound(kHelp, name, {}, &Help::name);
  return found != std::end(kHelp) && found->name == name ? found->text : std::string_view();
}

std::string DescribeFlags(const std::vector<std::string>& components) {
  std::string text;
  for (const FlagSet::Entry& flag : ListFlags(components)) {
    if (!kOfEveryProcess.contains(flag.name)) text += Line(flag);
  }
  return text;
}

}  // namespace coppice::services
