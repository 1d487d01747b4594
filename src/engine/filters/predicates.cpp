#include "engine/filters/predicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/filters/pod_affinity.h"
#include "engine/gpus/gpu_choice.h"
#include "engine/session/messages.h"

namespace coppice::engine {
namespace {

bool AllZero(const std::vector<std::unordered_map<std::string_view, int>>& counts) {
  return std::all_of(counts.begin(), counts.end(), [](const auto& map) { return map.empty(); });
}

std::string Protocol(const HostPort& port) { return port.protocol.empty() ? "TCP" : port.protocol; }

bool AnyAddress(const std::string& ip) { return ip.empty() || ip == "0.0.0.0"; }

bool InBytes(std::string_view resource) {
  return resource == "ephemeral-storage" || resource == "storage";
}

bool IsNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool Repels(const PodClass& cls, const Taint& taint) {
  if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") return false;
  const auto& tolerations = cls.shape->tolerations;
  return std::none_of(tolerations.begin(), tolerations.end(),
                      [&](const auto& toleration) { return Tolerates(toleration, taint); });
}

// Kubernetes sets these while a node is cordoned, NotReady or under pressure.
bool IsByState(const Taint& taint) { return taint.key.starts_with("node.kubernetes.io/"); }

}  // namespace

Predicates::Predicates(Session& session)
    : session_(session), cluster_(session.cluster), volumes_(session) {
  for (NodeId node : cluster_.node_order())
    MaxTo(max_allocatable_, cluster_.amounts().allocatable(node));
  if (cluster_.affinity_in_use()) affinity_skipped_.assign(cluster_.tasks().size(), 0);
}

std::optional<std::string> Predicates::PreFilter(TaskId task) {
  const std::vector<PreFailure> failures = Prepare(task);
  if (failures.empty()) return std::nullopt;
  std::string text =
      fmt::format("Scheduling conditions were not met for pod {}:\n", cluster_.PodName(task));
  for (const auto& failure : failures) {
    text += fmt::format("{}: {}.\n", failure.filter, failure.message);
  }
  return text;
}

bool Predicates::Filter(TaskId task, NodeId node, std::vector<std::string>* why) const {
  std::vector<std::string> reasons = Check(task, node);
  if (reasons.empty()) return true;
  if (why) *why = std::move(reasons);
  return false;
}

void Predicates::Missing(TaskId task, std::vector<Explanation::Change>& changes) const {
  for (const std::string& name : MissingConfigMaps(task)) {
    changes.push_back(ToCreate("ConfigMap", name));
  }
  volumes_.Missing(task, changes);
}

std::vector<PreFailure> Predicates::Prepare(TaskId task) {
  std::vector<PreFailure> failures;
  if (cluster_.affinity_in_use()) CountAffinity(task);
  if (auto failure = volumes_.Prepare(task)) failures.push_back(*failure);
  if (auto failure = MaxNodeResources(task)) failures.push_back(*failure);
  if (auto failure = ConfigMaps(task)) failures.push_back(*failure);
  return failures;
}

std::optional<PreFailure> Predicates::VictimInvariant(TaskId task) {
  if (auto failure = volumes_.Prepare(task)) return failure;
  if (auto failure = ConfigMaps(task)) return failure;
  return MaxNodeResources(task);
}

std::vector<std::string> Predicates::MissingConfigMaps(TaskId task) const {
  const PodClass& cls = cluster_.ClassOf(task);
  if (cls.config_maps.empty()) return {};
  const auto exempt = cls.shape->annotations.find("runai/shared-gpu-configmap");
  std::vector<std::string> missing;
  for (const auto& name : cls.config_maps) {
    const bool shared = exempt != cls.shape->annotations.end() && !exempt->second.empty() &&
                        name.starts_with(exempt->second);
    if (shared || cluster_.objects().config_maps.contains({cls.shape->namespace_name, name}))
      continue;
    if (std::find(missing.begin(), missing.end(), name) == missing.end()) missing.push_back(name);
  }
  return missing;
}

std::optional<PreFailure> Predicates::ConfigMaps(TaskId task) {
  const std::vector<std::string> missing = MissingConfigMaps(task);
  if (missing.empty()) return std::nullopt;
  return PreFailure{
      "ConfigMap", fmt::format("Missing required configmaps: [{}]", fmt::join(missing, " ")), true};
}

std::optional<PreFailure> Predicates::MaxNodeResources(TaskId id) {
  if (larger_nodes_) return std::nullopt;
  const PodClass& cls = cluster_.ClassOf(id);
  const Amounts& request = cls.request;
  int over = -1;
  const auto exceeds = [&](int i) {
    const bool by_claims = cluster_.devices().Serves(i);
    return !by_claims && At(request, i) > At(max_allocatable_, i);
  };
  for (int i : {kGpu, kCpu, kMemory}) {
    if (over < 0 && exceeds(i)) over = i;
  }
  for (int i = kPods; i < static_cast<int>(request.size()) && over < 0; ++i) {
    if (exceeds(i)) over = i;
  }
  if (over < 0) return std::nullopt;
  const ResourceIndex& index = cluster_.resources();
  std::string text = fmt::format(
      "The pod {} requires GPU: {}, CPU: {} (cores), memory: {} (GB)", cluster_.PodName(id),
      HumanAmount(static_cast<double>(TotalGpus(index, request)), kGpuUnit),
      HumanAmount(static_cast<double>(request[kCpu]), 1000),
      HumanAmount(static_cast<double>(request[kMemory]), 1e9));
  std::string mig;
  for (int i = kPods; i < static_cast<int>(request.size()); ++i) {
    if (request[i] == 0) continue;
    if (index.IsMig(i)) {
      mig += fmt::format(", mig {}: {}", index.Name(i), request[i]);
    } else if (InBytes(index.Name(i))) {
      text += fmt::format(", {}: {} (GB)", index.Name(i),
                          HumanAmount(static_cast<double>(request[i]), 1e9));
    } else {
      text += fmt::format(", {}: {}", index.Name(i), request[i]);
    }
  }
  text += mig + ". ";
  const std::string pool = NodePoolOf(cluster_.jobs()[cluster_.tasks()[id].job]);
  const std::string name = over == kGpu      ? "GPU"
                           : over == kCpu    ? "CPU"
                           : over == kMemory ? "memory"
                                             : index.Name(over);
  const bool bytes = over == kMemory || InBytes(name);
  // Upstream does not report how much there is of other resources.
  const int64_t most = over < kPods || bytes ? At(max_allocatable_, over) : 0;
  if (most == 0) {
    text += fmt::format("No node in the {} node-pool has {} resources", pool, name);
  } else {
    const double unit = over == kGpu ? kGpuUnit : over == kCpu ? 1000 : 1e9;
    text += fmt::format(
        "Max {} resources available in a single node in the {} node-pool is topped at {}{}", name,
        pool, HumanAmount(static_cast<double>(most), unit),
        over == kCpu ? " cores"
        : bytes      ? " GB"
                     : "");
  }
  return PreFailure{"MaxNodePoolResources", text, true};
}

// ---- Node affinity, ports, taints ----------------------------------------------------------

bool Predicates::MatchesNodeAffinity(const PodClass& cls, NodeId id) const {
  return Ignores(PlacementRule::kNodeAffinity, id) || cluster_.MatchesNodeAffinity(cls, id);
}

bool Predicates::PortsFree(const PodClass& cls, NodeId node) const {
  if (Ignores(PlacementRule::kHostPorts, node)) return true;
  for (const auto& wanted : cls.host_ports) {
    for (const auto& use : cluster_.nodes()[node].ports) {
      if (use.count <= 0 || use.port.port != wanted.port) continue;
      if (Protocol(use.port) != Protocol(wanted)) continue;
      if (AnyAddress(use.port.ip) || AnyAddress(wanted.ip) || use.port.ip == wanted.ip)
        return false;
    }
  }
  return true;
}

std::optional<std::string> Predicates::CheckTaints(const PodClass& cls, NodeId node) const {
  for (const auto& taint : cluster_.nodes()[node].taints) {
    if (!Repels(cls, taint)) continue;
    const auto rule = IsByState(taint) ? PlacementRule::kNodeState : PlacementRule::kTaints;
    if (!Ignores(rule, node)) return "node(s) had untolerated taint(s)";
  }
  return std::nullopt;
}

std::vector<Taint> Predicates::Untolerated(TaskId task, NodeId node, bool by_state) const {
  std::vector<Taint> taints;
  for (const auto& taint : cluster_.nodes()[node].taints) {
    if (IsByState(taint) == by_state && Repels(cluster_.ClassOf(task), taint)) {
      taints.push_back(taint);
    }
  }
  return taints;
}

// ---- Inter-pod affinity --------------------------------------------------------------------

void Predicates::CountAffinity(TaskId id) {
  affinity_ = {};
  if (affinity_skipped_[id]) return;
  const Task& task = cluster_.tasks()[id];
  const PodClass& cls = cluster_.ClassOf(task);
  const Affinity& wants = cls.shape->affinity;
  const Labels& labels = cluster_.LabelSet(task.labels);
  affinity_.own.resize(wants.required_pods.size());
  affinity_.own_anti.resize(wants.required_anti_pods.size());
  affinity_.matches_itself =
      std::all_of(wants.required_pods.begin(), wants.required_pods.end(),
                  [&](const auto& term) { return TermMatches(cluster_, term, cls, cls, labels); });
  for (NodeId node_id : cluster_.node_order()) {
    const Node& node = cluster_.nodes()[node_id];
    const auto value = [&](const std::string& key) {
      return node.labels.Find(cluster_.names(), key);
    };
    for (const auto& present : node.presence) {
      if (present.count <= 0) continue;
      const PodClass& other = cluster_.classes()[present.cls];
      const Labels& other_labels = cluster_.LabelSet(present.labels);
      const bool all = !wants.required_pods.empty() &&
                       std::all_of(wants.required_pods.begin(), wants.required_pods.end(),
                                   [&](const auto& term) {
                                     return TermMatches(cluster_, term, cls, other, other_labels);
                                   });
      for (size_t i = 0; all && i < wants.required_pods.size(); ++i) {
        if (const auto at = value(wants.required_pods[i].topology_key)) {
          affinity_.own[i][*at] += present.count;
          affinity_.total_own += present.count;
        }
      }
      for (size_t i = 0; i < wants.required_anti_pods.size(); ++i) {
        const auto& term = wants.required_anti_pods[i];
        const auto at = value(term.topology_key);
        if (at && TermMatches(cluster_, term, cls, other, other_labels)) {
          affinity_.own_anti[i][*at] += present.count;
        }
      }
      for (const auto& term : other.shape->affinity.required_anti_pods) {
        const auto at = value(term.topology_key);
        if (at && TermMatches(cluster_, term, other, cls, labels)) {
          affinity_.existing_anti[{term.topology_key, *at}] += present.count;
        }
      }
    }
  }
  affinity_.needed = !wants.required_pods.empty() || !wants.required_anti_pods.empty() ||
                     !AllZero(affinity_.own_anti) || !affinity_.existing_anti.empty();
  // Once no term concerns the pod, it is not checked again in this cycle, as in upstream.
  if (!affinity_.needed && session_.config.compatibility.Keeps(Quirk::kStickySkips)) {
    affinity_skipped_[id] = 1;
  }
}

std::optional<std::string> Predicates::CheckAffinity(TaskId id, NodeId node_id) const {
  if (!cluster_.affinity_in_use() || !affinity_.needed) return std::nullopt;
  const Affinity& wants = cluster_.ClassOf(id).shape->affinity;
  const NamedLabels labels = cluster_.LabelsOf(node_id);
  bool satisfied = true;
  const bool any_company = ignored_.Has(PlacementRule::kPodAffinity);
  for (size_t i = 0; !any_company && i < wants.required_pods.size(); ++i) {
    const auto at = labels.Find(wants.required_pods[i].topology_key);
    if (!at) return "node(s) didn't match pod affinity rules";
    satisfied &= affinity_.own[i].contains(*at);
  }
  if (!satisfied && !(affinity_.total_own == 0 && affinity_.matches_itself)) {
    return "node(s) didn't match pod affinity rules";
  }
  if (ignored_.Has(PlacementRule::kPodAntiAffinity)) return std::nullopt;
  for (size_t i = 0; i < wants.required_anti_pods.size(); ++i) {
    const auto at = labels.Find(wants.required_anti_pods[i].topology_key);
    if (at && affinity_.own_anti[i].contains(*at)) {
      return "node(s) didn't match pod anti-affinity rules";
    }
  }
  for (const auto& [key_value, count] : affinity_.existing_anti) {
    if (labels.Find(key_value.first) == key_value.second) {
      return "node(s) didn't satisfy existing pods anti-affinity rules";
    }
  }
  return std::nullopt;
}

// ---- The node ------------------------------------------------------------------------------

std::vector<std::string> Predicates::LegacyMigPods(NodeId node) const {
  std::vector<std::string> pods;
  for (TaskId id = cluster_.tasks().FirstOn(node); id != kNone;
       id = cluster_.tasks()[id].next_on_node) {
    const Task& task = cluster_.tasks()[id];
    if (IsUsed(task.status) && cluster_.ClassOf(task).gpu.legacy_mig) {
      pods.push_back(cluster_.PodName(id));
    }
  }
  return pods;
}

// For pods that request GPUs by a device plugin's resource name, on a node that only hands out its
// GPUs through claims: true unless a device class serves that name.
bool Predicates::LacksDevicePlugin(const PodClass& cls, NodeId id) const {
  const int64_t by_claims = cluster_.nodes()[id].dra_gpus * kGpuUnit;
  if (cls.gpu.Milli() == 0 || cluster_.amounts().allocatable(id)[kGpu] > by_claims) return false;
  const auto& device_classes = cluster_.devices().classes();
  const auto is_served = [&](const std::string& resource) {
    return std::any_of(device_classes.begin(), device_classes.end(), [&](const auto& each) {
      return each.second.extended_resource_name == resource;
    });
  };
  for (const auto& container : cls.shape->containers) {
    for (const auto& [resource, amount] : container.requests) {
      if (resource.ends_with("/gpu") && amount.Sign() > 0 && !is_served(resource)) return true;
    }
  }
  return false;
}

std::optional<std::string> Predicates::CheckGpuKind(TaskId id, NodeId node_id) const {
  const PodClass& cls = cluster_.ClassOf(id);
  const Node& node = cluster_.nodes()[node_id];
  const std::string_view name = cluster_.Text(node.name);
  if (cls.gpu.legacy_mig) {
    return fmt::format("Legacy MIG jobs cannot be scheduled on node {}", name);
  }
  if (cls.cpu_only) return std::nullopt;
  if (node.has_dra_gpus && cls.gpu.shared()) {
    return "fractional/shared GPU pods are not yet supported on DRA-only nodes";
  }
  if (node.has_dra_gpus && LacksDevicePlugin(cls, node_id)) {
    return "whole GPUs of a device plugin are not there on DRA-only nodes";
  }
  if (!cls.gpu.mig.empty()) {
    if (!node.mig) return "MIG job cannot be scheduled on non-MIG node";
    if (node.legacy_mig_tasks > 0) {
      return fmt::format("MIG job cannot be scheduled on node with legacy MIG jobs: <[{}]>",
                         fmt::join(LegacyMigPods(node_id), " "));
    }
  }
  const bool regular = cls.gpu.type == RequestType::kRegular;
  if (node.mig_strategy == MigStrategy::kSingle && !regular) {
    return "only whole gpu jobs can run on a node with MigStrategy='single'";
  }
  if (node.mig_strategy == MigStrategy::kMixed && cls.gpu.mig.empty()) {
    return "non MIG jobs cant run on a node with MigStrategy='mixed'";
  }
  return std::nullopt;
}

std::optional<std::string> Predicates::CheckPodSlots(TaskId id, NodeId node) const {
  const int64_t free =
      cluster_.amounts().idle(node)[kPods] + cluster_.amounts().releasing(node)[kPods];
  const int64_t most = 1 + cluster_.ClassOf(id).gpu.count;  // A pod, and all the GPUs it may open.
  if (free >= most || free >= PodSlots(id, node)) return std::nullopt;
  return "node(s) pod number exceeded";
}

// A GPU that becomes shared also needs a slot for its reservation pod.
int64_t Predicates::PodSlots(TaskId id, NodeId node) const {
  if (!cluster_.ClassOf(id).gpu.shared()) return 1;
  const auto gpus = ChooseGpus(session_, id, node);
  if (!session_.config.compatibility.Keeps(Quirk::kSharedGpuSlots)) {
    return 1 + std::count(gpus.begin(), gpus.end(), nullptr);
  }
  // Upstream treats a GPU as known if its id is a number, and counts at most one new GPU.
  const bool known = static_cast<int64_t>(gpus.size()) >= cluster_.ClassOf(id).gpu.count &&
                     std::all_of(gpus.begin(), gpus.end(), [&](const GpuGroup* group) {
                       return group && IsNumber(cluster_.Text(group->id));
                     });
  return known ? 1 : 2;
}

std::optional<std::string> Predicates::CheckRestricted(TaskId id, NodeId node_id) const {
  if (!session_.config.restrict_node_scheduling) return std::nullopt;
  const Node& node = cluster_.nodes()[node_id];
  const bool gpu = !cluster_.ClassOf(id).cpu_only;
  if (gpu ? node.gpu_worker : node.cpu_worker) return std::nullopt;
  const char* kind = gpu ? "gpu" : "cpu";
  return fmt::format("{} task: <{}> can't run on non {} nodes, node: <{}>", kind,
                     cluster_.PodName(id), kind, cluster_.Text(node.name));
}

std::optional<std::string> Predicates::CheckQueue(TaskId id, NodeId node) const {
  if (!session_.plugins.proportion) return std::nullopt;
  const auto over = session_.shares.OverCapacity(cluster_.tasks()[id].job,
                                                 session_.shares.CapacityRequestOn(id, node));
  if (!over) return std::nullopt;
  return fmt::format("node does not have enough capacity. Reason: {}, Details: {}", over->reason,
                     over->message);
}

bool Predicates::Admits(TaskId id, NodeId node_id) const {
  const PodClass& cls = cluster_.ClassOf(id);
  const Node& node = cluster_.nodes()[node_id];
  const bool unsynced = cls.gpu.type == RequestType::kGpuMemory && !node.memory_synced;
  return (node.ready || Ignores(PlacementRule::kNodeState, node_id)) && !unsynced &&
         !CheckGpuKind(id, node_id) && !CheckTaints(cls, node_id) &&
         MatchesNodeAffinity(id, node_id) && !CheckRestricted(id, node_id);
}

bool Predicates::CheckNode(TaskId id, NodeId node) const {
  return !Admits(id, node) || CheckPodSlots(id, node);
}

std::vector<std::string> Predicates::Check(TaskId id, NodeId node_id) const {
  if (auto reason = CheckAmounts(id, node_id)) return {*reason};
  if (!cluster_.nodes()[node_id].ready && !Ignores(PlacementRule::kNodeState, node_id)) {
    std::vector<std::string> reasons;
    for (NameId reason : cluster_.name_lists()[cluster_.nodes()[node_id].not_ready]) {
      reasons.emplace_back(cluster_.Text(reason));
    }
    return reasons;
  }
  if (auto reason = CheckFilters(id, node_id)) return {*reason};
  return {};
}

// What the queue has left, and which GPUs and pods the node can hold.
std::optional<std::string> Predicates::CheckAmounts(TaskId id, NodeId node_id) const {
  const PodClass& cls = cluster_.ClassOf(id);
  const Node& node = cluster_.nodes()[node_id];
  if (auto reason = CheckQueue(id, node_id)) return reason;
  if (auto reason = CheckGpuKind(id, node_id)) return reason;
  if (cls.gpu.type == RequestType::kGpuMemory && !node.memory_synced) {
    return fmt::format(
        "node is not a gpu node or the gpu memory count on the node was not synced yet, task: "
        "<{}>, node: <{}>",
        cluster_.PodName(id), cluster_.Text(node.name));
  }
  return CheckPodSlots(id, node_id);
}

std::optional<std::string> Predicates::CheckFilters(TaskId id, NodeId node_id) const {
  const PodClass& cls = cluster_.ClassOf(id);
  if (cls.has_host_ports && !PortsFree(cls, node_id)) {
    return "node(s) didn't have free ports for the requested pod ports";
  }
  if (auto reason = CheckTaints(cls, node_id)) return reason;
  if (!MatchesNodeAffinity(id, node_id)) return "node(s) didn't match Pod's node affinity/selector";
  if (auto reason = CheckAffinity(id, node_id)) return reason;
  if (!Ignores(PlacementRule::kVolumes, node_id)) {
    if (auto reason = volumes_.Check(id, node_id)) return reason;
  }
  return CheckRestricted(id, node_id);
}

}  // namespace coppice::engine
