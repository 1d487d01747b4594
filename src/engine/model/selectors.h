#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Kubernetes' label matching, tolerations and affinity as plain values: filled in by the reader of
// pods and nodes, evaluated by the engine's filters.

namespace coppice::engine {

using Labels = std::map<std::string, std::string>;

// Read access to labels, independent of their representation.
class LabelSource {
 public:
  virtual ~LabelSource() = default;
  virtual std::optional<std::string_view> Find(const std::string& key) const = 0;
};

class PlainLabels final : public LabelSource {
 public:
  explicit PlainLabels(const Labels& labels) : labels_(labels) {}
  std::optional<std::string_view> Find(const std::string& key) const override {
    const auto found = labels_.find(key);
    return found == labels_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  }

 private:
  const Labels& labels_;
};

enum class SelectorOperator { kIn, kNotIn, kExists, kDoesNotExist, kGreaterThan, kLessThan };

struct SelectorRequirement {
  std::string key;
  SelectorOperator op = SelectorOperator::kIn;
  std::vector<std::string> values;
};

// One alternative of a node selector: all requirements must hold. An empty term matches nothing.
struct NodeSelectorTerm {
  std::vector<SelectorRequirement> match_expressions;
  // On fields of the node; Kubernetes only supports `metadata.name`.
  std::vector<SelectorRequirement> match_fields;
};

// Matches if any term does.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;
};

// Matches if all parts match; an empty selector matches everything.
struct LabelSelector {
  Labels match_labels;
  std::vector<SelectorRequirement> match_expressions;
};

struct PodAffinityTerm {
  // Absent: matches no pod.
  std::optional<LabelSelector> selector;
  // If neither is given: the namespace of the pod that has the term.
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;
  std::string topology_key;
};

struct WeightedPodAffinityTerm {
  int weight = 0;
  PodAffinityTerm term;
};

struct WeightedNodeTerm {
  int weight = 0;
  NodeSelectorTerm term;
};

struct Affinity {
  std::optional<NodeSelector> required_nodes;
  std::vector<WeightedNodeTerm> preferred_nodes;
  std::vector<PodAffinityTerm> required_pods;
  std::vector<PodAffinityTerm> required_anti_pods;
  std::vector<WeightedPodAffinityTerm> preferred_pods;
  std::vector<WeightedPodAffinityTerm> preferred_anti_pods;
};

struct Taint {
  std::string key;
  std::string value;
  std::string effect;
};

struct Toleration {
  std::string key;
  std::string op;  // "Equal" (also if empty) or "Exists".
  std::string value;
  std::string effect;
};

bool Matches(const LabelSelector& selector, const LabelSource& labels);
bool Matches(const NodeSelector& selector, const LabelSource& labels, std::string_view node_name);
inline bool Matches(const LabelSelector& selector, const Labels& labels) {
  return Matches(selector, PlainLabels(labels));
}
// Sum of the weights of the matching terms.
int Preference(const std::vector<WeightedNodeTerm>& terms, const LabelSource& labels,
               std::string_view node_name);
bool Tolerates(const Toleration& toleration, const Taint& taint);

}  // namespace coppice::engine
