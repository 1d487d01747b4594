#include <fmt/format.h>

#include <map>
#include <set>

#include "api/edit/answers.h"
#include "api/grove/convert.h"
#include "api/grove/pod_gang.h"
#include "api/selectors/label_selector.h"
#include "api/view/answers.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "backends/model/labels.h"
#include "cli/common/list_or_none.h"
#include "cli/common/workload.h"
#include "cli/show/pod_gpus.h"
#include "cli/show/tree_view.h"
#include "kube/object.h"
#include "operator/common/children.h"
#include "services/common/names.h"
#include "sim/cluster_shape.h"

namespace coppice::cli {
namespace {

using json::Value;

namespace answers = view::answers;
namespace names = services::names;

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

  base::Result<Value> Read(const TreeQuery& query) {
    auto selector = api::LabelSelector::Parse(query.selector);
    if (!selector) return selector.error().During("-l " + query.selector);
    selector_ = *std::move(selector);
    COPPICE_ASSIGN(const auto sets, ListOrNone(client_, api::kPodCliqueSets, query.ns));
    COPPICE_ASSIGN(gangs_, ListOrNone(client_, api::kPodGangs, query.ns));
    COPPICE_ASSIGN(const auto cliques, ListOrNone(client_, api::kPodCliques, query.ns));
    for (const Value& clique : cliques) cliques_[KeyOf(clique)] = clique;
    COPPICE_ASSIGN(const auto groups, ListOrNone(client_, api::kPodGroups, query.ns));
    COPPICE_ASSIGN(const auto pods, ListOrNone(client_, api::kPods, query.ns));
    COPPICE_TRY(ReadDomains());
    Index(groups, pods);
    Value out;
    const edit::answers::Tree tree(out);
    tree.set_sets(Value::Array()).set_groups(Value::Array());
    Value shown = Value::Array();
    for (const Value& set : sets) {
      if (selector_.MatchesObject(set)) shown.Append(Set(set));
    }
    tree.set_sets(std::move(shown));
    tree.set_groups(Workloads(pods));
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

  void Index(const std::vector<Value>& groups, const std::vector<Value>& pods) {
    for (const Value& group : groups) {
      groups_[KeyOf(group)] = group;
      const auto owner = kube::Metadata(group).ownerReferences().At(0);
      if (owner.kind() == "PodGang") group_of_gang_[std::string(owner.uid())] = group;
    }
    for (const Value& pod : pods) {
      const std::string gang(kube::Label(pod, api::labels::kPodGang));
      if (!gang.empty()) by_gang_[{std::string(kube::Namespace(pod)), gang}].push_back(pod);
    }
  }

  // Everything outside sets, by what users created.
  Value Workloads(const std::vector<Value>& pods) const {
    std::map<std::pair<std::string, Workload>, std::vector<const Value*>> by_workload;
    for (const Value& pod : pods) {
      if (!kube::Label(pod, api::labels::kPodGang).empty()) continue;
      if (!selector_.MatchesObject(pod)) continue;
      by_workload[{std::string(kube::Namespace(pod)), CreatorOf(pod)}].push_back(&pod);
    }
    Value out = Value::Array();
    for (const auto& [key, own] : by_workload) {
      Value made;
      ShowWorkload(key.second, own, edit::answers::TreeGroup(made).set_namespace_(key.first));
      out.Append(std::move(made));
    }
    return out;
  }

  // A PodGroup knows the topmost owner of its pods, unless it was made for one pod.
  Workload CreatorOf(const Value& pod) const {
    const auto group = groups_.find(GroupKeyOf(pod));
    if (group == groups_.end()) return WorkloadOf(pod);
    const auto owner = kube::Metadata(group->second).ownerReferences().At(0);
    if (owner.kind() == "Pod") return WorkloadOf(pod);
    if (owner.name().empty()) return {"PodGroup", std::string(kube::Name(group->second))};
    return {std::string(owner.kind()), std::string(owner.name())};
  }

  static Key GroupKeyOf(const Value& pod) {
    return {std::string(kube::Namespace(pod)),
            std::string(kube::Annotation(pod, names::kPodGroupAnnotation))};
  }

  void ShowWorkload(const Workload& workload, const std::vector<const Value*>& pods,
                    edit::answers::TreeGroup shown) const {
    shown.set_kind(workload.kind).set_name(workload.name);
    std::set<std::string> groups;
    Value list = Value::Array();
    std::string created;
    for (const Value* pod : pods) {
      list.Append(Pod(*pod));
      const std::string_view time = kube::Metadata(*pod).creationTimestamp();
      if (created.empty() || time < created) created = time;
      const auto group = groups_.find(GroupKeyOf(*pod));
      if (group == groups_.end()) continue;
      if (groups.insert(group->first.second).second) AddGroup(group->second, shown);
    }
    shown.set_pods(std::move(list)).set_created(created);
    Value names = Value::Array();
    for (const std::string& name : groups) names.Append(name);
    shown.set_podGroups(std::move(names));
  }

  // A pod that waits says why; one that runs says nothing.
  static void AddGroup(const Value& object, edit::answers::TreeGroup shown) {
    const view::kai::PodGroup group(object);
    if (group.spec().has_queue()) shown.set_queue(group.spec().queue());
    if (group.spec().has_priorityClassName()) {
      shown.set_priority(group.spec().priorityClassName());
    }
    if (group.status().has_phase()) shown.set_phase(group.status().phase());
    for (const view::kai::SchedulingCondition condition : group.status().schedulingConditions()) {
      shown.set_reason(condition.message());
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
        .set_updated(set.status().updatedReplicas())
        .set_created(kube::Metadata(object).creationTimestamp());
    if (const auto priority = set.spec().template_().priorityClassName(); !priority.empty()) {
      shown.set_priority(priority);
    }
    if (Value update = Update(set.status().updateProgress()); update.IsObject()) {
      shown.set_update(std::move(update));
    }
    const std::string delay(set.spec().template_().terminationDelay("4h"));
    Value gangs = Value::Array();
    for (const Value& gang : gangs_) {
      const bool ours = kube::Namespace(gang) == kube::Namespace(object) &&
                        (kube::IsOwnedBy(gang, kube::Uid(object)) ||
                         kube::Label(gang, api::labels::kPartOf) == kube::Name(object));
      if (!ours) continue;
      gangs.Append(Gang(gang, delay));
      const answers::TreeGang added(gangs.At(gangs.size() - 1));
      if (added.has_queue()) shown.set_queue(added.queue());
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
        .set_scheduler(kube::Label(object, backends::labels::kBackend))
        .set_created(kube::Metadata(object).creationTimestamp());
    AddQueue(object, shown);
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

  // As its PodGroup says, else its own label.
  void AddQueue(const Value& gang, edit::answers::TreeGang shown) const {
    const auto group = group_of_gang_.find(std::string(kube::Uid(gang)));
    const std::string_view label = kube::Label(gang, names::kQueueLabel);
    if (group == group_of_gang_.end()) {
      if (!label.empty()) shown.set_queue(label);
      return;
    }
    const view::kai::PodGroupSpec spec = view::kai::PodGroup(group->second).spec();
    shown.set_queue(spec.queue());
    if (!spec.priorityClassName().empty()) shown.set_priority(spec.priorityClassName());
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

  Value Pod(const Value& object) const {
    const view::core::Pod pod(object);
    const bool deleting = kube::IsDeleting(object);
    Value out;
    const edit::answers::TreePod shown(out);
    shown.set_name(kube::Name(object))
        .set_phase(deleting ? "Terminating" : pod.status().phase("Pending"))
        .set_ready(!deleting && kube::ConditionIs(object, "Ready", "True"))
        .set_gpus(GpusOf(object))
        .set_created(kube::Metadata(object).creationTimestamp());
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
  std::map<Key, Value> groups_;
  std::map<std::string, Value> group_of_gang_;  // By the gang's uid.
  std::map<Key, std::vector<Value>> by_gang_;
  api::LabelSelector selector_;
  std::map<std::string, std::string> domains_;
};

}  // namespace

base::Result<Value> ReadTree(kube::Client& client, const TreeQuery& query) {
  COPPICE_ASSIGN(const NamedObject named, ParseNamedObject(query.name));
  COPPICE_ASSIGN(Value tree, TreeReader(client).Read(query));
  if (!query.name.empty()) NarrowTree(named, tree);
  return tree;
}

}  // namespace coppice::cli
