#include "cli/show/tree_view.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "api/edit/answers.h"
#include "api/grove/convert.h"
#include "api/grove/pod_gang.h"
#include "api/view/answers.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "backends/model/labels.h"
#include "base/quantity.h"
#include "cli/common/list_or_none.h"
#include "cli/common/output.h"
#include "kube/object.h"
#include "operator/common/children.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"
#include "sim/cluster_shape.h"

namespace coppice::cli {
namespace {

using json::Value;

namespace answers = view::answers;
namespace names = services::names;

constexpr size_t kPodsShown = 12;

// The number of GPUs of which the pod requests a fraction.
double DevicesOf(const Value& pod) {
  const auto count = services::FractionDevices(pod);
  return count ? static_cast<double>(count->value_or(1)) : 1;
}

double GpusOf(const Value& pod) {
  double gpus = 0;
  for (const view::core::Container container : view::core::Pod(pod).spec().containers()) {
    const view::core::ResourceRequirements resources = container.resources();
    const Value& requested = resources.requests()[names::kGpuResource];
    const Value& wanted = requested.IsNull() ? resources.limits()[names::kGpuResource] : requested;
    const std::string text =
        wanted.IsInt() ? fmt::format("{}", wanted.AsInt()) : wanted.ToString("0");
    if (const auto quantity = base::Quantity::Parse(text)) gpus += quantity->ToDouble();
  }
  const std::string fraction(kube::Annotation(pod, names::kGpuFraction));
  if (const auto portion = base::Quantity::Parse(fraction)) {
    gpus += portion->ToDouble() * DevicesOf(pod);
  }
  return gpus;
}

// The narrowest topology domain of a node that is wider than the node itself.
std::string DomainOf(const Value& node) {
  for (const std::string_view label : {sim::kRackLabel, sim::kBlockLabel, sim::kZoneLabel}) {
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
    Value shown_sets = Value::Array(), shown_groups = Value::Array();
    for (const Value& set : sets) {
      Value shown = Set(set);
      if (Narrow(name, shown)) shown_sets.Append(std::move(shown));
    }
    for (const Value& group : groups) {
      Value made = Group(group);
      const answers::TreeGroup shown(made);
      if (!shown.pods().empty() && (name.empty() || IsCalled(group, shown, name))) {
        shown_groups.Append(std::move(made));
      }
    }
    Value out;
    edit::answers::Tree(out).set_sets(std::move(shown_sets)).set_groups(std::move(shown_groups));
    return out;
  }

 private:
  // Optional, for users who may only read one namespace.
  base::Status ReadDomains() {
    const auto nodes = ListOrNone(client_, api::kNodes, "");
    if (nodes.Is(base::ErrorCode::kForbidden)) return {};
    if (!nodes) return nodes.error();
    for (const Value& node : *nodes) domains_[std::string(kube::Name(node))] = DomainOf(node);
    return {};
  }

  using Key = std::pair<std::string, std::string>;  // Namespace and name.

  static Key KeyOf(const Value& object) {
    return {std::string(kube::Namespace(object)), std::string(kube::Name(object))};
  }

  static bool HasPod(view::List<answers::TreePod> pods, std::string_view name) {
    for (const answers::TreePod pod : pods) {
      if (pod.name() == name) return true;
    }
    return false;
  }

  // Reduces a set to what has this name: all of it, one gang, or the gang with that clique or pod.
  // False if nothing does.
  static bool Narrow(std::string_view name, Value& set) {
    const answers::TreeSet shown(set);
    if (name.empty() || shown.name() == name) return true;
    Value kept = Value::Array();
    for (const answers::TreeGang gang : shown.gangs()) {
      bool meant = gang.name() == name;
      for (const answers::TreeClique clique : gang.groups()) {
        meant = meant || clique.name() == name || HasPod(clique.pods(), name);
      }
      if (meant) kept.Append(gang.Json());
    }
    const bool some = !kept.empty();
    edit::answers::TreeSet(set).set_gangs(std::move(kept));
    return some;
  }

  // By its own name, that of its owner (a Job, a RayCluster, …), or that of a pod.
  static bool IsCalled(const Value& group, answers::TreeGroup shown, std::string_view name) {
    if (kube::Name(group) == name || HasPod(shown.pods(), name)) return true;
    for (const view::meta::OwnerReference owner : kube::Metadata(group).ownerReferences()) {
      if (owner.name() == name) return true;
    }
    return false;
  }

  void Index(const std::vector<Value>& pods) {
    for (const Value& pod : pods) {
      const std::string ns(kube::Namespace(pod));
      const std::string gang(kube::Label(pod, api::labels::kPodGang));
      if (!gang.empty()) {
        by_gang_[{ns, gang}].push_back(pod);
      } else if (const auto group = kube::Annotation(pod, names::kPodGroupAnnotation);
                 !group.empty()) {
        by_group_[{ns, std::string(group)}].push_back(pod);
      }
    }
  }

  Value Set(const Value& object) const {
    const view::grove::PodCliqueSet set(object);
    Value out;
    const edit::answers::TreeSet shown(out);
    shown.set_name(kube::Name(object))
        .set_namespace_(kube::Namespace(object))
        .set_replicas(set.spec().replicas(1))
        .set_available(set.status().availableReplicas())
        .set_updated(set.status().updatedReplicas());
    if (Value update = Update(set.status().updateProgress()); update.IsObject()) {
      shown.set_update(std::move(update));
    }
    const std::string delay(set.spec().template_().terminationDelay("4h"));
    Value gangs = Value::Array();
    for (const Value& gang : gangs_) {
      const bool ours = kube::Namespace(gang) == kube::Namespace(object) &&
                        (kube::IsOwnedBy(gang, kube::Uid(object)) ||
                         kube::Label(gang, api::labels::kPartOf) == kube::Name(object));
      if (ours) gangs.Append(Gang(gang, delay));
    }
    shown.set_gangs(std::move(gangs));
    return out;
  }

  // The progress of a running update; null if none is running.
  static Value Update(view::grove::PodCliqueSetUpdateProgress progress) {
    if (!progress || !progress.updateEndedAt().empty()) return {};
    Value out;
    const edit::answers::TreeUpdate update(out);
    update.set_cliques(progress.updatedPodCliquesCount())
        .set_ofCliques(progress.totalPodCliquesCount())
        .set_groups(progress.updatedPodCliqueScalingGroupsCount())
        .set_ofGroups(progress.totalPodCliqueScalingGroupsCount());
    for (const view::grove::ReplicaUpdate replica : progress.currentlyUpdating()) {
      update.set_replica(replica.replicaIndex());
    }
    return out;
  }

  // The clique's status: counts, and since when it is below its minimum.
  void AddClique(const Key& key, const std::string& delay, edit::answers::TreeClique shown) const {
    const auto found = cliques_.find(key);
    if (found == cliques_.end()) return;
    const view::grove::PodCliqueStatus status = view::grove::PodClique(found->second).status();
    shown.set_scheduled(status.scheduledReplicas())
        .set_updated(status.updatedReplicas())
        .set_gated(status.scheduleGatedReplicas());
    const view::meta::Condition breach(
        kube::Condition(found->second, api::grove::kMinAvailableBreached));
    if (breach.status() != "True") return;
    shown.set_breachedSince(breach.lastTransitionTime());
    // A clique that never ran is never terminated for it.
    if (!operators::WasEverScheduled(api::grove::ReadPodClique(found->second))) return;
    shown.set_terminationDelay(delay);
  }

  Value Gang(const Value& object, const std::string& delay) const {
    const view::grove::PodGang gang(object);
    Value out;
    const edit::answers::TreeGang shown(out);
    shown.set_name(kube::Name(object))
        .set_phase(gang.status().phase("Pending"))
        .set_scheduler(kube::Label(object, backends::labels::kBackend));
    for (const auto type : {api::grove::kGangScheduled, api::grove::kGangBackendSynced}) {
      const view::meta::Condition condition(kube::Condition(object, type));
      if (condition.status() == "False") shown.set_reason(condition.message());
    }
    Value groups = Value::Array();
    for (const view::grove::PodGroup group : gang.spec().podgroups()) {
      Value clique;
      const edit::answers::TreeClique edit(clique);
      edit.set_name(group.name())
          .set_minReplicas(group.minReplicas())
          .set_pods(PodsOfClique(object, group.name()));
      AddClique({std::string(kube::Namespace(object)), std::string(group.name())}, delay, edit);
      groups.Append(std::move(clique));
    }
    shown.set_groups(std::move(groups));
    return out;
  }

  Value PodsOfClique(const Value& gang, std::string_view clique) const {
    Value pods = Value::Array();
    const auto found = by_gang_.find(KeyOf(gang));
    if (found == by_gang_.end()) return pods;
    for (const Value& pod : found->second) {
      if (kube::Label(pod, backends::labels::kPodClique) == clique) pods.Append(Pod(pod));
    }
    return pods;
  }

  Value Group(const Value& object) const {
    const view::kai::PodGroup group(object);
    Value out;
    const edit::answers::TreeGroup shown(out);
    shown.set_name(kube::Name(object)).set_namespace_(kube::Namespace(object));
    if (group.spec().has_queue()) shown.set_queue(group.spec().queue());
    if (group.status().has_phase()) shown.set_phase(group.status().phase());
    for (const view::kai::SchedulingCondition condition : group.status().schedulingConditions()) {
      shown.set_reason(condition.message());
    }
    Value pods = Value::Array();
    const auto found = by_group_.find(KeyOf(object));
    if (found != by_group_.end()) {
      for (const Value& pod : found->second) pods.Append(Pod(pod));
    }
    shown.set_pods(std::move(pods));
    return out;
  }

  Value Pod(const Value& object) const {
    const view::core::Pod pod(object);
    const bool deleting = kube::IsDeleting(object);
    Value out;
    const edit::answers::TreePod shown(out);
    shown.set_name(kube::Name(object))
        .set_phase(deleting ? "Terminating" : pod.status().phase("Pending"))
        .set_ready(!deleting && kube::ConditionIs(object, "Ready", "True"))
        .set_gpus(GpusOf(object));
    if (!pod.spec().schedulingGates().empty()) shown.set_phase("Gated");
    const std::string node(pod.spec().nodeName());
    if (node.empty()) return out;
    shown.set_node(node);
    const auto domain = domains_.find(node);
    if (domain != domains_.end() && !domain->second.empty()) shown.set_domain(domain->second);
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
  std::string Print(answers::Tree tree) {
    for (const answers::TreeSet set : tree.sets()) Set(set);
    for (const answers::TreeGroup group : tree.groups()) Group(group);
    if (rows_.empty()) return "no set and no PodGroup is here\n";
    return AlignColumns(rows_);
  }

 private:
  void Row(std::string name, std::string state, std::string where = "", std::string note = "") {
    rows_.push_back({std::move(name), std::move(state), std::move(where), std::move(note)});
  }

  void Set(answers::TreeSet set) {
    Row(fmt::format("{}/{}", set.namespace_(), set.name()),
        fmt::format("{} replica{}", set.replicas(), set.replicas() == 1 ? "" : "s"),
        fmt::format("{} available, {} updated", set.available(), set.updated()),
        UpdateNote(set.update()));
    const auto gangs = set.gangs();
    for (size_t i = 0; i < gangs.size(); ++i) Gang(gangs.At(i), i + 1 == gangs.size());
  }

  static std::string UpdateNote(answers::TreeUpdate update) {
    if (!update) return "";
    std::string note = fmt::format("updating: {}/{} cliques, {}/{} groups", update.cliques(),
                                   update.ofCliques(), update.groups(), update.ofGroups());
    if (update.has_replica()) note += fmt::format(", replica {}", update.replica());
    return note;
  }

  static std::string CliqueNote(answers::TreeClique clique) {
    if (!clique.has_scheduled()) return "";
    std::string note =
        fmt::format("{} scheduled, {} updated", clique.scheduled(), clique.updated());
    if (clique.gated() > 0) note += fmt::format(", {} gated", clique.gated());
    if (clique.has_breachedSince()) {
      note += fmt::format(", below its minimum since {}", clique.breachedSince());
    }
    if (clique.has_terminationDelay()) {
      note += fmt::format(" (ends after {})", clique.terminationDelay());
    }
    return note;
  }

  void Gang(answers::TreeGang gang, bool last) {
    Row(fmt::format("{} {}", last ? "└─" : "├─", gang.name()), std::string(gang.phase()),
        fmt::format("gang · {}", gang.scheduler()), std::string(gang.reason()));
    const std::string indent = last ? "   " : "│  ";
    const auto cliques = gang.groups();
    for (size_t i = 0; i < cliques.size(); ++i) {
      const bool last_clique = i + 1 == cliques.size();
      Clique(cliques.At(i), indent, last_clique);
      Pods(cliques.At(i).pods(), indent + (last_clique ? "   " : "│  "));
    }
  }

  void Clique(answers::TreeClique clique, const std::string& indent, bool last) {
    int64_t ready = 0;
    for (const answers::TreePod pod : clique.pods()) ready += pod.ready() ? 1 : 0;
    Row(fmt::format("{}{} {}", indent, last ? "└─" : "├─", clique.name()),
        fmt::format("{}/{} ready", ready, clique.pods().size()),
        fmt::format("min {}", clique.minReplicas()), CliqueNote(clique));
  }

  void Group(answers::TreeGroup group) {
    Row(fmt::format("{}/{}", group.namespace_(), group.name()), std::string(group.phase()),
        fmt::format("group · {}", group.queue()), std::string(group.reason()));
    Pods(group.pods(), "");
  }

  void Pods(view::List<answers::TreePod> pods, const std::string& indent) {
    const size_t shown = std::min(pods.size(), kPodsShown);
    for (size_t i = 0; i < shown; ++i) {
      Pod(pods.At(i), indent + (i + 1 == pods.size() ? "└─ " : "├─ "));
    }
    if (shown < pods.size()) Row(fmt::format("{}└─ … {} more", indent, pods.size() - shown), "");
  }

  void Pod(answers::TreePod pod, const std::string& branch) {
    std::string state(pod.phase("Pending"));
    if (state == "Running" && !pod.ready()) state = "Starting";
    std::string where(pod.node());
    if (pod.has_domain()) where += fmt::format(" ({})", pod.domain());
    const double gpus = pod.gpus();
    Row(branch + std::string(pod.name()), std::move(state), std::move(where),
        gpus > 0 ? fmt::format("{} GPU{}", Number(gpus), gpus == 1 ? "" : "s") : "");
  }

  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

base::Result<Value> ReadTree(kube::Client& client, std::string_view ns, std::string_view name) {
  return TreeReader(client).Read(ns, name);
}

std::string FormatTree(const Value& tree) { return TreePrinter().Print(answers::Tree(tree)); }

}  // namespace coppice::cli
