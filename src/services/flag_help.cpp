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
    {"admin-address", "Serves /metrics, /healthz, /readyz and /loglevel"},
    {"allow-consolidating-reclaim", "Reclaiming may move pods of others instead of ending them"},
    {"bind-directly", "Bind pods that need only a node without a BindRequest"},
    {"block-nvidia-visible-devices", "Refuse pods that name GPUs by NVIDIA_VISIBLE_DEVICES"},
    {"burst", "Taken for KAI's sake, not enforced"},
    {"config", "The operator's configuration file"},
    {"context", "Context of the kubeconfig"},
    {"cpu-worker-node-label-key", "Nodes with it are for pods without GPUs"},
    {"default-priorities-configmap-name",
     "ConfigMap with priority class and preemptibility per workload kind"},
    {"default-priorities-configmap-namespace", "Its namespace"},
    {"default-staleness-grace-period",
     "How long a gang may lack members before the rest is evicted"},
    {"detailed-fit-errors", "Name every node in the reasons why a pod waits"},
    {"drift-resync-interval", "How often everything is told again"},
    {"dry-run", "Check the configuration and stop"},
    {"enable-podgroup-webhook", "Check PodGroups when they are written"},
    {"enable-quota-validation", "Warn of queues that promise more than their parent has"},
    {"enable-webhook", "Check queues when they are written"},
    {"fake-gpu-nodes", "Nodes only pretend to have GPUs: reservation pods are not waited for"},
    {"full-hierarchy-fairness",
     "Fair shares follow the whole tree of queues, not its leaves alone"},
    {"generic-karta-fallback", "Group kinds that are not known by their Karta description"},
    {"gpu-fraction-runtime-class-name", "Runtime class of pods that share a GPU"},
    {"gpu-memory-to-fraction-ratio",
     "What part of a GPU a scaling pod stands for when memory is asked for"},
    {"gpu-pod-runtime-class-name", "The former name of --gpu-fraction-runtime-class-name"},
    {"gpu-sharing-enabled", "Allow pods to ask for parts of GPUs"},
    {"gpu-worker-node-label-key", "Nodes with it are for pods with GPUs"},
    {"guard-queue-deletion", "Refuse to delete queues that have children or pod groups"},
    {"hami-core-enabled", "Let HAMi-core limit the memory of pods that share a GPU"},
    {"health-probe-bind-address", "Serves /healthz and /readyz"},
    {"image", "Image of the processes it deploys"},
    {"knative-gang-schedule", "Group the pods of a Knative revision"},
    {"kubeconfig", "Kubeconfig file"},
    {"leader-elect", "Run only while holding a Lease"},
    {"lease-namespace", "Where the Lease lives"},
    {"listen-address", "Serves /metrics"},
    {"log-json", "Log as JSON"},
    {"max-concurrent-reconciles", "How many objects are worked on at once"},
    {"max-consolidation-preemptees",
     "How many pods consolidation may move for one job; -1: any number"},
    {"max-requests-in-flight", "More requests to the API server wait; 0: as many as it bears"},
    {"max-requests-per-second", "More wait; 0: no limit"},
    {"metrics-bind-address", "Serves /metrics"},
    {"metrics-listen-address", "Serves /metrics"},
    {"metrics-namespace", "First word of the metrics' names"},
    {"mig-worker-node-label-key", "Nodes with it are for pods with MIG devices"},
    {"namespace", "Where it runs"},
    {"namespace-label-selector", "Group only pods of namespaces with these labels"},
    {"node-name", "The node it runs on"},
    {"nodepool-label-key", "Label that says which pool nodes, queues and pods belong to"},
    {"num-of-status-recording-workers", "How many statuses are written at once"},
    {"partition-label-value", "The pool that this scheduler serves; none: nodes without the label"},
    {"placement-rules", "Scheduler and queue by namespace: a file, or the rules as {rules: …}"},
    {"plugin-server-port", "Serves snapshots and the order of jobs; 0: not at all"},
    {"plugins", "What the binder's plugins do, as JSON"},
    {"pod-label-selector", "Group only pods with these labels"},
    {"podresources-socket", "Where the kubelet tells which devices pods have"},
    {"poll-interval", "How often the kubelet is asked"},
    {"qps", "Taken for KAI's sake, not enforced"},
    {"queue-label-key", "Label that names a pod's queue"},
    {"queue-label-to-default-metric-value", "Values of labels that a queue lacks, in metrics"},
    {"queue-label-to-metric-label", "Labels of queues that metrics show, and under which name"},
    {"rate-limiter-base-delay", "How long a failed bind waits at first"},
    {"rate-limiter-max-delay", "How long it waits at most"},
    {"resource-reservation-allocation-timeout",
     "How long a reservation pod may take to tell its GPU"},
    {"resource-reservation-app-label", "Label app of reservation pods"},
    {"resource-reservation-container-security-context", "Of reservation pods' containers"},
    {"resource-reservation-namespace", "Where reservation pods live"},
    {"resource-reservation-pod-command", "What reservation pods run"},
    {"resource-reservation-pod-image", "Their image"},
    {"resource-reservation-pod-resources", "Their requests and limits beside the GPU"},
    {"resource-reservation-pod-security-context", "Their security context"},
    {"resource-reservation-service-account", "Their service account"},
    {"restrict-node-scheduling", "Use only nodes that carry the worker labels"},
    {"runtime-class-name", "Runtime class of reservation pods"},
    {"scale-adjust-namespace", "Where scaling pods live"},
    {"scaling-pod-app-label", "Label app of scaling pods"},
    {"scaling-pod-command", "What scaling pods run"},
    {"scaling-pod-image", "Their image"},
    {"scaling-pod-service-account", "Their service account"},
    {"schedule-csi-storage", "Count the room of CSI storage"},
    {"schedule-period", "The longest time between two cycles; changes start one at once"},
    {"scheduler-conf", "Actions and plugins, as KAI's scheduler reads them"},
    {"scheduler-name", "The schedulerName of the pods that are ours"},
    {"search-legacy-pg", "Look for groups under their former names"},
    {"stuck-in-releasing-threshold", "A pod that takes longer to end no longer counts as leaving"},
    {"surplus-delay",
     "How long pods beyond their gang's minimum leave room to a waiting gang of their set; 0: not"},
    {"sysfs-root", "Where the node's sysfs is mounted"},
    {"update-pod-eviction-condition", "Tell evicted pods why, as a condition"},
    {"use-scheduling-signatures", "Jobs like one that has no room are not tried again in a cycle"},
    {"webhook-addr", "Port of the webhooks"},
    {"webhook-certificates", "Folder with their certificate"},
    {"webhook-service", "The services' webhooks are registered under this Service"},
    {"webhook-url", "The operator serves its webhooks, and API servers find them here"},
    {"without-backends", "The operator leaves gangs to processes of their own"},
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
