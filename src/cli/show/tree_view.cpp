#include "cli/show/tree_view.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "api/grove/convert.h"
#include "api/well_known.h"
#include "base/quantity.h"
#include "cli/common/list_or_none.h"
#include "cli/common/output.h"
#include "kube/object.h"
#include "operator/common/children.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"

namespace coppice::cli {
namespace {

using json::Value;

constexpr std::string_view kGangLabel = "grove.io/podgang";
constexpr std::string_view kSetLabel = "app.kubernetes.io/part-of";
constexpr std::string_view kCliqueLabel = "grove.io/podclique";
constexpr std::string_view kGroupAnnotation = "pod-group-name";
constexpr size_t kPodsShown = 12;

// Of how many GPUs the pod wants a part.
double DevicesOf(const Value& pod) {
  const auto count = services::FractionDevices(pod);
  return count ? static_cast<double>(count->value_or(1)) : 1;
}

double GpusOf(const Value& pod) {
  double gpus = 0;
  for (const Value& container : pod["spec"]["containers"].Items()) {
    const Value& wanted = container["resources"]["requests"]["nvidia.com/gpu"].IsNull()
                              ? container["resources"]["limits"]["nvidia.com/gpu"]
                              : container["resources"]["requests"]["nvidia.com/gpu"];
    const std::string text =
        wanted.IsInt() ? fmt::format("{}", wanted.AsInt()) : wanted.ToString("0");
    if (const auto quantity = base::Quantity::Parse(text)) gpus += quantity->ToDouble();
  }
  const std::string fraction(kube::Annotation(pod, services::names::kGpuFraction));
  if (const auto portion = base::Quantity::Parse(fraction)) {
    gpus += portion->ToDouble() * DevicesOf(pod);
  }
  return gpus;
}

// The narrowest topology domain of a node that is wider than the node itself.
std::string DomainOf(const Value& node) {
  for (std::string_view label : {"topo/rack", "topo/block", "topology.kubernetes.io/zone"}) {
    if (const auto value = kube::Label(node, label); !value.empty()) return std::string(value);
  }
  return "";
}

class TreeReader {
 public:
  explicit TreeReader(kube::Client& client) : client_(client) {}

  base::Result<Value> Read(std::string_view ns, std::string_view name) {
    COPPICE_ASSIGN(const auto sets, ListOrNone(client_, api::kPodCliqueSets, ns));
    COPPICE_ASSIGN(gangs_, ListOrNone(client_, api::kPodGangs, ns));
    COPPICE_ASSIGN(const auto cliques, ListOrNone(client_, api::kPodCliques, ns));
    for (const Value& clique : cliques) {
      cliques_[{kube::KeyOf(clique).ns, kube::KeyOf(clique).name}] = clique;
    }
    COPPICE_ASSIGN(const auto groups, ListOrNone(client_, api::kPodGroups, ns));
    COPPICE_ASSIGN(const auto pods, ListOrNone(client_, api::kPods, ns));
    COPPICE_TRY(ReadDomains());
    Index(pods);
    Value out = Value::Object({{"sets", Value::Array()}, {"groups", Value::Array()}});
    for (const Value& set : sets) {
      Value shown = Set(set);
      if (Narrow(name, shown)) out.Mutable("sets").Append(std::move(shown));
    }
    for (const Value& group : groups) {
      Value shown = Group(group);
      if (!shown["pods"].empty() && (name.empty() || IsCalled(group, shown, name))) {
        out.Mutable("groups").Append(std::move(shown));
      }
    }
    return out;
  }

 private:
  // Those who may see one namespace alone do without them.
  base::Status ReadDomains() {
    const auto nodes = ListOrNone(client_, api::kNodes, "");
    if (nodes.Is(base::ErrorCode::kForbidden)) return {};
    if (!nodes) return nodes.error();
    for (const Value& node : *nodes) domains_[node["metadata"]["name"].ToString()] = DomainOf(node);
    return {};
  }

  using Key = std::pair<std::string, std::string>;  // Namespace and name.

  static bool HasPod(const Value& group, std::string_view name) {
    for (const Value& pod : group["pods"].Items()) {
      if (pod["name"].AsString() == name) return true;
    }
    return false;
  }

  // Keeps of a set what is called so: all of it, one gang, or the gang with that clique or pod.
  // False when that is nothing.
  static bool Narrow(std::string_view name, Value& set) {
    if (name.empty() || set["name"].AsString() == name) return true;
    Value kept = Value::Array();
    for (const Value& gang : set["gangs"].Items()) {
      bool meant = gang["name"].AsString() == name;
      for (const Value& group : gang["groups"].Items()) {
        meant = meant || group["name"].AsString() == name || HasPod(group, name);
      }
      if (meant) kept.Append(gang);
    }
    const bool some = !kept.empty();
    set.Set("gangs", std::move(kept));
    return some;
  }

  // By its own name, that of what it was made for (a Job, a RayCluster, …), or a pod's.
  static bool IsCalled(const Value& group, const Value& shown, std::string_view name) {
    if (kube::Name(group) == name || HasPod(shown, name)) return true;
    for (const Value& owner : group["metadata"]["ownerReferences"].Items()) {
      if (owner["name"].AsString() == name) return true;
    }
    return false;
  }

  void Index(const std::vector<Value>& pods) {
    for (const Value& pod : pods) {
      const std::string ns(kube::Namespace(pod));
      const std::string gang(kube::Label(pod, kGangLabel));
      if (!gang.empty()) {
        by_gang_[{ns, gang}].push_back(pod);
      } else if (const auto group = kube::Annotation(pod, kGroupAnnotation); !group.empty()) {
        by_group_[{ns, std::string(group)}].push_back(pod);
      }
    }
  }

  Value Set(const Value& set) const {
    Value out = Value::Object({{"name", kube::Name(set)},
                               {"namespace", kube::Namespace(set)},
                               {"replicas", set["spec"]["replicas"].AsInt(1)},
                               {"available", set["status"]["availableReplicas"].AsInt()},
                               {"updated", set["status"]["updatedReplicas"].AsInt()},
                               {"gangs", Value::Array()}});
    if (const Value update = Update(set["status"]["updateProgress"]); update.IsObject()) {
      out.Set("update", update);
    }
    const std::string delay = set["spec"]["template"]["terminationDelay"].ToString("4h");
    for (const Value& gang : gangs_) {
      const bool ours = kube::Namespace(gang) == kube::Namespace(set) &&
                        (kube::IsOwnedBy(gang, kube::Uid(set)) ||
                         kube::Label(gang, kSetLabel) == kube::Name(set));
      if (ours) out.Mutable("gangs").Append(Gang(gang, delay));
    }
    return out;
  }

  // How far a running update is; null when none runs.
  static Value Update(const Value& progress) {
    if (!progress.IsObject() || !progress["updateEndedAt"].IsNull()) return {};
    Value out = Value::Object({{"cliques", progress["updatedPodCliquesCount"].AsInt()},
                               {"ofCliques", progress["totalPodCliquesCount"].AsInt()},
                               {"groups", progress["updatedPodCliqueScalingGroupsCount"].AsInt()},
                               {"ofGroups", progress["totalPodCliqueScalingGroupsCount"].AsInt()}});
    for (const Value& replica : progress["currentlyUpdating"].Items()) {
      out.Set("replica", replica["replicaIndex"].AsInt());
    }
    return out;
  }

  // What the clique says of itself: counts, and since when it is below its minimum.
  void AddClique(const std::string& ns, const std::string& delay, Value& group) const {
    const auto found = cliques_.find({ns, group["name"].ToString()});
    if (found == cliques_.end()) return;
    const Value& status = found->second["status"];
    group.Set("scheduled", status["scheduledReplicas"].AsInt());
    group.Set("updated", status["updatedReplicas"].AsInt());
    group.Set("gated", status["scheduleGatedReplicas"].AsInt());
    const Value& breach = kube::Condition(found->second, "MinAvailableBreached");
    if (breach["status"].AsString() != "True") return;
    group.Set("breachedSince", breach["lastTransitionTime"]);
    // What never ran is never ended for it.
    if (!operators::WasEverScheduled(api::grove::ReadPodClique(found->second))) return;
    group.Set("terminationDelay", delay);
  }

  Value Gang(const Value& gang, const std::string& delay) const {
    Value out = Value::Object({{"name", kube::Name(gang)},
                               {"phase", gang["status"]["phase"].AsString("Pending")},
                               {"scheduler", kube::Label(gang, "grove.io/scheduler-backend")},
                               {"groups", Value::Array()}});
    const Value& scheduled = kube::Condition(gang, "Scheduled");
    if (scheduled["status"].AsString() == "False") out.Set("reason", scheduled["message"]);
    const Value& synced = kube::Condition(gang, "BackendSynced");
    if (synced["status"].AsString() == "False") out.Set("reason", synced["message"]);
    const auto found = by_gang_.find(
        {gang["metadata"]["namespace"].ToString(), gang["metadata"]["name"].ToString()});
    for (const Value& group : gang["spec"]["podgroups"].Items()) {
      Value pods = Value::Array();
      if (found != by_gang_.end()) {
        for (const Value& pod : found->second) {
          if (kube::Label(pod, kCliqueLabel) == group["name"].AsString()) pods.Append(Pod(pod));
        }
      }
      Value shown = Value::Object({{"name", group["name"]},
                                   {"minReplicas", group["minReplicas"].AsInt()},
                                   {"pods", std::move(pods)}});
      AddClique(gang["metadata"]["namespace"].ToString(), delay, shown);
      out.Mutable("groups").Append(std::move(shown));
    }
    return out;
  }

  Value Group(const Value& group) const {
    Value out = Value::Object({{"name", kube::Name(group)},
                               {"namespace", kube::Namespace(group)},
                               {"queue", group["spec"]["queue"]},
                               {"phase", group["status"]["phase"]},
                               {"pods", Value::Array()}});
    for (const Value& condition : group["status"]["schedulingConditions"].Items()) {
      out.Set("reason", condition["message"]);
    }
    const auto found = by_group_.find(
        {group["metadata"]["namespace"].ToString(), group["metadata"]["name"].ToString()});
    if (found == by_group_.end()) return out;
    for (const Value& pod : found->second) out.Mutable("pods").Append(Pod(pod));
    return out;
  }

  Value Pod(const Value& pod) const {
    const std::string node = pod["spec"]["nodeName"].ToString();
    Value out = Value::Object(
        {{"name", kube::Name(pod)},
         {"phase", kube::IsDeleting(pod) ? Value("Terminating") : pod["status"]["phase"]},
         {"ready", !kube::IsDeleting(pod) && kube::ConditionIs(pod, "Ready", "True")},
         {"gpus", GpusOf(pod)}});
    if (!pod["spec"]["schedulingGates"].empty()) out.Set("phase", "Gated");
    if (node.empty()) return out;
    out.Set("node", node);
    const auto domain = domains_.find(node);
    if (domain != domains_.end() && !domain->second.empty()) out.Set("domain", domain->second);
    return out;
  }

  kube::Client& client_;
  std::vector<Value> gangs_;
  std::map<Key, Value> cliques_;
  std::map<Key, std::vector<Value>> by_gang_, by_group_;
  std::map<std::string, std::string> domains_;
};

// Prints nested lines with box-drawing branches.
class TreePrinter {
 public:
  std::string Print(const Value& tree) {
    for (const Value& set : tree["sets"].Items()) Set(set);
    for (const Value& group : tree["groups"].Items()) Group(group);
    if (rows_.empty()) return "no set and no PodGroup is here\n";
    return AlignColumns(rows_);
  }

 private:
  void Row(std::string name, std::string state, std::string where = "", std::string note = "") {
    rows_.push_back({std::move(name), std::move(state), std::move(where), std::move(note)});
  }

  void Set(const Value& set) {
    Row(fmt::format("{}/{}", set["namespace"].AsString(), set["name"].AsString()),
        fmt::format("{} replica{}", set["replicas"].AsInt(),
                    set["replicas"].AsInt() == 1 ? "" : "s"),
        fmt::format("{} available, {} updated", set["available"].AsInt(), set["updated"].AsInt()),
        UpdateNote(set["update"]));
    const auto gangs = set["gangs"].Items();
    for (size_t i = 0; i < gangs.size(); ++i) Gang(gangs[i], i + 1 == gangs.size());
  }

  static std::string UpdateNote(const Value& update) {
    if (!update.IsObject()) return "";
    std::string note = fmt::format("updating: {}/{} cliques, {}/{} groups",
                                   update["cliques"].AsInt(), update["ofCliques"].AsInt(),
                                   update["groups"].AsInt(), update["ofGroups"].AsInt());
    if (update.Has("replica")) note += fmt::format(", replica {}", update["replica"].AsInt());
    return note;
  }

  static std::string CliqueNote(const Value& clique) {
    if (!clique.Has("scheduled")) return "";
    std::string note = fmt::format("{} scheduled, {} updated", clique["scheduled"].AsInt(),
                                   clique["updated"].AsInt());
    if (clique["gated"].AsInt() > 0) note += fmt::format(", {} gated", clique["gated"].AsInt());
    if (clique.Has("breachedSince")) {
      note += fmt::format(", below its minimum since {}", clique["breachedSince"].AsString());
    }
    if (clique.Has("terminationDelay")) {
      note += fmt::format(" (ends after {})", clique["terminationDelay"].AsString());
    }
    return note;
  }

  void Gang(const Value& gang, bool last) {
    Row(fmt::format("{} {}", last ? "└─" : "├─", gang["name"].AsString()), gang["phase"].ToString(),
        fmt::format("gang · {}", gang["scheduler"].AsString()), gang["reason"].ToString());
    const std::string indent = last ? "   " : "│  ";
    const auto groups = gang["groups"].Items();
    for (size_t i = 0; i < groups.size(); ++i) {
      const bool last_group = i + 1 == groups.size();
      Clique(groups[i], indent, last_group);
      Pods(groups[i]["pods"], indent + (last_group ? "   " : "│  "));
    }
  }

  void Clique(const Value& clique, const std::string& indent, bool last) {
    int64_t ready = 0;
    for (const Value& pod : clique["pods"].Items()) ready += pod["ready"].AsBool() ? 1 : 0;
    Row(fmt::format("{}{} {}", indent, last ? "└─" : "├─", clique["name"].AsString()),
        fmt::format("{}/{} ready", ready, clique["pods"].size()),
        fmt::format("min {}", clique["minReplicas"].AsInt()), CliqueNote(clique));
  }

  void Group(const Value& group) {
    Row(fmt::format("{}/{}", group["namespace"].AsString(), group["name"].AsString()),
        group["phase"].ToString(), fmt::format("group · {}", group["queue"].AsString()),
        group["reason"].ToString());
    Pods(group["pods"], "");
  }

  void Pods(const Value& pods, const std::string& indent) {
    const auto items = pods.Items();
    const size_t shown = std::min(items.size(), kPodsShown);
    for (size_t i = 0; i < shown; ++i) {
      Pod(items[i], indent + (i + 1 == items.size() ? "└─ " : "├─ "));
    }
    if (shown < items.size()) Row(fmt::format("{}└─ … {} more", indent, items.size() - shown), "");
  }

  void Pod(const Value& pod, const std::string& branch) {
    std::string state = pod["phase"].ToString("Pending");
    if (state == "Running" && !pod["ready"].AsBool()) state = "Starting";
    std::string where = pod["node"].ToString();
    if (pod.Has("domain")) where += fmt::format(" ({})", pod["domain"].AsString());
    const double gpus = pod["gpus"].AsDouble();
    Row(branch + pod["name"].ToString(), std::move(state), std::move(where),
        gpus > 0 ? fmt::format("{} GPU{}", Number(gpus), gpus == 1 ? "" : "s") : "");
  }

  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

base::Result<Value> ReadTree(kube::Client& client, std::string_view ns, std::string_view name) {
  return TreeReader(client).Read(ns, name);
}

std::string FormatTree(const Value& tree) { return TreePrinter().Print(tree); }

}  // namespace coppice::cli
