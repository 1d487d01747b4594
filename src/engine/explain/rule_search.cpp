#include "engine/explain/rule_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/explain/amount_text.h"
#include "engine/explain/selector_text.h"
#include "engine/filters/storage_capacity.h"

namespace coppice::engine {
namespace {

constexpr PlacementRule kNodeRules[] = {PlacementRule::kVolumes, PlacementRule::kNodeAffinity,
                                        PlacementRule::kTaints, PlacementRule::kNodeState};
constexpr PlacementRule kByWeight[] = {PlacementRule::kNodeState,       PlacementRule::kTaints,
                                       PlacementRule::kNodeAffinity,    PlacementRule::kVolumes,
                                       PlacementRule::kPodAntiAffinity, PlacementRule::kPodAffinity,
                                       PlacementRule::kHostPorts};
constexpr const char* kRuleNames[] = {"Volumes",         "NodeAffinity", "Taints",   "PodAffinity",
                                      "PodAntiAffinity", "HostPorts",    "NodeState"};

// Above this number of nodes, it does not try to leave out each one.
constexpr size_t kMostNodes = 64;
constexpr size_t kMostNamed = 8;

bool AnyOfNodes(PlacementRules rules) {
  return std::any_of(std::begin(kNodeRules), std::end(kNodeRules),
                     [&](PlacementRule rule) { return rules.Has(rule); });
}

std::string TaintText(const Taint& taint) {
  return fmt::format("`{}{}{}:{}`", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     taint.effect);
}

void AddOnce(std::string text, std::vector<std::string>& texts) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
}

}  // namespace

// Only on these nodes; on all if none are given.
void RuleSearch::Ignore(PlacementRules rules, const std::vector<NodeId>& nodes) {
  std::vector<bool> on;
  if (!nodes.empty()) {
    on.resize(trial_.cluster().nodes().size());
    for (NodeId node : nodes) on[node] = true;
  }
  trial_.allocator().Ignore(rules, std::move(on));
}

bool RuleSearch::RunsWithout(PlacementRules rules, const std::vector<NodeId>& nodes,
                             const std::vector<Missing>& added) {
  Ignore(rules, nodes);
  const bool runs = trial_.Runs(added);
  trial_.allocator().Ignore({});
  return runs;
}

std::vector<std::pair<TaskId, NodeId>> RuleSearch::Places(PlacementRules rules,
                                                          const std::vector<NodeId>& nodes,
                                                          const std::vector<Missing>& added) {
  Ignore(rules, nodes);
  auto places = trial_.PlacesFor(added);
  trial_.allocator().Ignore({});
  return places;
}

std::optional<RuleSearch::Answer> RuleSearch::InTheWay(PlacementRules candidates,
                                                       const std::vector<Missing>& added) {
  Answer answer{candidates, {}, {}};
  if (candidates.empty() || !RunsWithout(candidates, {}, added)) return std::nullopt;
  for (int i = 0; i < static_cast<int>(PlacementRule::kCount); ++i) {
    const PlacementRules fewer = answer.dropped.Without(static_cast<PlacementRule>(i));
    if (RunsWithout(fewer, {}, added)) answer.dropped = fewer;
  }
  if (AnyOfNodes(answer.dropped)) {
    answer.nodes = FewestNodes(answer.dropped, added);
    answer.places = Places(answer.dropped, answer.nodes, added);
  }
  return answer;
}

// The nodes that the pods use if the rules are dropped everywhere, without those that are not
// needed.
std::vector<NodeId> RuleSearch::FewestNodes(PlacementRules rules,
                                            const std::vector<Missing>& added) {
  std::vector<NodeId> nodes;
  for (const auto& [task, node] : Places(rules, {}, added)) nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (nodes.size() > kMostNodes) return nodes;
  for (size_t i = nodes.size(); i-- > 0 && nodes.size() > 1;) {
    std::vector<NodeId> fewer = nodes;
    fewer.erase(fewer.begin() + static_cast<long>(i));
    if (RunsWithout(rules, fewer, added)) nodes = std::move(fewer);
  }
  return nodes;
}

const PodShape& RuleSearch::ShapeOf(TaskId task) const {
  return *trial_.cluster().ClassOf(task).shape;
}

std::vector<TaskId> RuleSearch::KindsOn(const Answer& answer, NodeId node) const {
  std::vector<TaskId> kinds;
  std::set<ClassId> seen;
  for (const auto& [task, place] : answer.places) {
    const bool here = place == node;
    if (here && seen.insert(trial_.cluster().tasks()[task].cls).second) kinds.push_back(task);
  }
  return kinds;
}

std::vector<TaskId> RuleSearch::Kinds() const {
  std::vector<TaskId> kinds;
  std::set<ClassId> seen;
  for (TaskId task : trial_.tasks()) {
    if (seen.insert(trial_.cluster().tasks()[task].cls).second) kinds.push_back(task);
  }
  return kinds;
}

std::string RuleSearch::NodeName(NodeId node) const {
  return std::string(trial_.cluster().Text(trial_.cluster().nodes()[node].name));
}

bool RuleSearch::IsCordoned(NodeId node) const {
  const Cluster& cluster = trial_.cluster();
  for (NameId reason : cluster.name_lists()[cluster.nodes()[node].not_ready]) {
    if (cluster.Text(reason) == "node is unschedulable") return true;
  }
  return false;
}

// "cordoned", "NotReady", "under MemoryPressure", or a taint that represents such a state.
std::vector<std::string> RuleSearch::StatesOf(const Answer& answer, NodeId node) const {
  const Cluster& cluster = trial_.cluster();
  std::vector<std::string> states;
  for (NameId reason : cluster.name_lists()[cluster.nodes()[node].not_ready]) {
    std::string_view text = cluster.Text(reason);
    if (text == "node is unschedulable") {
      states.emplace_back("cordoned");
    } else if (text == "node has NotReady condition") {
      states.emplace_back("NotReady");
    } else if (text.starts_with("node has ") && text.ends_with(" condition")) {
      text.remove_prefix(9);
      states.push_back(fmt::format("under {}", text.substr(0, text.size() - 10)));
    }
  }
  const Predicates* predicates = trial_.allocator().predicates();
  if (!states.empty() || !predicates) return states;
  for (TaskId task : KindsOn(answer, node)) {
    for (const Taint& taint : predicates->Untolerated(task, node, true)) {
      AddOnce("tainted " + TaintText(taint), states);
    }
  }
  return states;
}

std::string RuleSearch::TaintsOf(const Answer& answer, NodeId node) const {
  std::vector<std::string> taints;
  const Predicates* predicates = trial_.allocator().predicates();
  if (!predicates) return "";
  for (TaskId task : KindsOn(answer, node)) {
    for (const Taint& taint : predicates->Untolerated(task, node, false)) {
      AddOnce(TaintText(taint), taints);
    }
  }
  return NameSome(taints, taints.size());
}

// The parts of the pods' node selector and affinity that the node does not match.
std::string RuleSearch::LabelsMissing(const Answer& answer, NodeId node) const {
  const NamedLabels labels = trial_.cluster().LabelsOf(node);
  std::vector<std::string> missing;
  for (TaskId task : KindsOn(answer, node)) {
    for (const auto& [key, value] : ShapeOf(task).node_selector) {
      if (labels.Find(key) != value) AddOnce(fmt::format("`{}={}`", key, value), missing);
    }
    const auto& required = ShapeOf(task).affinity.required_nodes;
    if (required && !Matches(*required, labels, NodeName(node))) {
      AddOnce(fmt::format("`{}`", SelectorText(*required)), missing);
    }
  }
  return NameSome(missing, missing.size());
}

std::string RuleSearch::Terms(bool anti) const {
  std::vector<std::string> terms;
  for (TaskId task : Kinds()) {
    const Affinity& affinity = ShapeOf(task).affinity;
    for (const PodAffinityTerm& term :
         anti ? affinity.required_anti_pods : affinity.required_pods) {
      AddOnce(fmt::format("`{}` per `{}`", term.selector ? SelectorText(*term.selector) : "nothing",
                          term.topology_key),
              terms);
    }
  }
  return NameSome(terms, terms.size());
}

std::string RuleSearch::Ports() const {
  std::vector<std::string> ports;
  for (TaskId task : Kinds()) {
    for (const HostPort& port : trial_.cluster().ClassOf(task).host_ports) {
      AddOnce(fmt::format("{}", port.port), ports);
    }
  }
  return NameSome(ports, ports.size());
}

// The pods' volumes, and where they can be used.
std::string RuleSearch::Volumes() const {
  const Cluster& cluster = trial_.cluster();
  std::vector<std::string> volumes;
  const Storage& storage = cluster.objects().storage;
  for (TaskId task : Kinds()) {
    const PodShape& shape = ShapeOf(task);
    for (const VolumeClaimRef& reference : shape.volume_claims) {
      const std::string name = ClaimNameOf(reference, cluster.Text(cluster.tasks()[task].name));
      const auto claim = storage.claims.find({shape.namespace_name, name});
      if (claim == storage.claims.end()) continue;
      const auto volume = storage.volumes.find(claim->second.volume_name);
      const bool bound = volume != storage.volumes.end() && volume->second.node_affinity;
      AddOnce(bound ? fmt::format("`{}` (usable where `{}`)", name,
                                  SelectorText(*volume->second.node_affinity))
                    : fmt::format("`{}`", name),
              volumes);
    }
  }
  return NameSome(volumes, volumes.size());
}

// ---- Text ------------------------------------------------------------------------------------

std::string RuleSearch::ReasonOf(const Answer& answer) {
  for (PlacementRule rule : kByWeight) {
    if (answer.dropped.Has(rule)) return kRuleNames[static_cast<int>(rule)];
  }
  return "";
}

bool RuleSearch::MayPass(const Answer& answer) const {
  if (!answer.dropped.Without(PlacementRule::kNodeState).empty()) return false;
  return std::none_of(answer.nodes.begin(), answer.nodes.end(),
                      [&](NodeId node) { return IsCordoned(node); });
}

void RuleSearch::AddNodeStates(const Answer& answer, std::vector<Change>& changes) const {
  if (!answer.dropped.Has(PlacementRule::kNodeState)) return;
  for (NodeId node : answer.nodes) {
    const std::vector<std::string> states = StatesOf(answer, node);
    if (states.empty()) continue;
    const std::string name = NodeName(node);
    if (IsCordoned(node)) changes.push_back({"uncordon", name, 1, "", "uncordon " + name});
    const bool down = states.size() > (IsCordoned(node) ? 1 : 0);
    if (down) {
      changes.push_back(
          {"nodeReady", name, 1, "", fmt::format("bring {} back: it is {}", name, states.back())});
    }
  }
}

// Nodes with the same taints become one change.
void RuleSearch::AddTaints(const Answer& answer, std::vector<Change>& changes) const {
  if (!answer.dropped.Has(PlacementRule::kTaints)) return;
  std::map<std::string, std::vector<std::string>> nodes;
  for (NodeId node : answer.nodes) {
    if (std::string taints = TaintsOf(answer, node); !taints.empty())
      nodes[taints].push_back(NodeName(node));
  }
  for (const auto& [taints, names] : nodes) {
    const bool several = taints.find(" and ") != std::string::npos;
    changes.push_back({"tolerate", taints, static_cast<double>(names.size()), "",
                       fmt::format("tolerate {}, or remove {} from {}", taints,
                                   several ? "them" : "it", NameSome(names, kMostNamed))});
  }
}

void RuleSearch::AddLabels(const Answer& answer, std::vector<Change>& changes) const {
  if (!answer.dropped.Has(PlacementRule::kNodeAffinity)) return;
  std::map<std::string, std::vector<std::string>> nodes;
  for (NodeId node : answer.nodes) {
    if (std::string labels = LabelsMissing(answer, node); !labels.empty())
      nodes[labels].push_back(NodeName(node));
  }
  for (const auto& [labels, names] : nodes) {
    // The hostname label cannot be given to another node.
    if (labels.find("`kubernetes.io/hostname") != std::string::npos) {
      changes.push_back(
          {"dropRule", kRuleNames[static_cast<int>(PlacementRule::kNodeAffinity)], 1, "",
           fmt::format("remove {} from the pods' node selector or affinity", labels)});
      continue;
    }
    changes.push_back({"labelNode", labels, static_cast<double>(names.size()), "",
                       fmt::format("label {} {}, or remove that from the pods' node selector "
                                   "or affinity",
                                   NameSome(names, kMostNamed), labels)});
  }
}

void RuleSearch::AddPodRules(const Answer& answer, std::vector<Change>& changes) const {
  const auto drop = [&](PlacementRule rule, std::string text) {
    if (!answer.dropped.Has(rule)) return;
    changes.push_back({"dropRule", kRuleNames[static_cast<int>(rule)], 1, "", std::move(text)});
  };
  drop(PlacementRule::kVolumes,
       fmt::format("use volumes that other nodes can reach instead of {}", Volumes()));
  drop(PlacementRule::kPodAffinity,
       fmt::format("start a pod that matches {} first, or remove that pod affinity",
                   Terms(/*anti=*/false)));
  const std::string anti = Terms(/*anti=*/true);
  drop(PlacementRule::kPodAntiAffinity,
       anti.empty() ? "remove the anti-affinity of running pods against these"
                    : fmt::format("remove the pod anti-affinity to {}, or add nodes", anti));
  drop(PlacementRule::kHostPorts,
       fmt::format("remove host port {}, or add nodes where it is free", Ports()));
}

std::vector<Explanation::Change> RuleSearch::Changes(const Answer& answer) const {
  std::vector<Change> changes;
  AddNodeStates(answer, changes);
  AddTaints(answer, changes);
  AddLabels(answer, changes);
  AddPodRules(answer, changes);
  return changes;
}

std::string RuleSearch::Summary(const Answer& answer) const {
  const std::string reason = ReasonOf(answer);
  std::vector<std::string> parts;
  std::string detail;
  for (NodeId node : answer.nodes) {
    if (reason == "NodeState") {
      if (const auto states = StatesOf(answer, node); !states.empty()) {
        parts.push_back(fmt::format("{} is {}", NodeName(node), NameSome(states, 3)));
      }
    } else {
      parts.push_back(NodeName(node));
      if (detail.empty())
        detail = reason == "Taints" ? TaintsOf(answer, node) : LabelsMissing(answer, node);
    }
  }
  if (reason == "NodeState") return NameSome(parts);
  const char* have = parts.size() == 1 ? "has" : "have";
  const char* lack = parts.size() == 1 ? "does" : "do";
  if (reason == "Taints") {
    return fmt::format("{} {} room, but also {}, which the pods do not tolerate", NameSome(parts),
                       have, detail);
  }
  if (reason == "NodeAffinity") {
    return fmt::format("the pods ask for nodes with {}; {} {} room, but {} not have it", detail,
                       NameSome(parts), have, lack);
  }
  if (reason == "Volumes") {
    return fmt::format("no node where the pods may run can use the volume of claim {}", Volumes());
  }
  if (reason == "PodAffinity") {
    return fmt::format("the pods must run beside pods that match {}, and none run", Terms(false));
  }
  if (reason == "PodAntiAffinity") {
    const std::string terms = Terms(true);
    return terms.empty() ? "running pods refuse these by their anti-affinity"
                         : fmt::format("the pods must not run beside pods that match {}", terms);
  }
  return fmt::format("host port {} is taken wherever there is room", Ports());
}

}  // namespace coppice::engine
