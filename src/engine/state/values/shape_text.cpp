#include "engine/state/values/shape_text.h"

#include <fmt/format.h>

#include <iterator>

namespace coppice::engine {
namespace {

class Writer {
 public:
  // Length-prefixed, so that different sequences of texts never look alike.
  void Text(std::string_view text) {
    fmt::format_to(std::back_inserter(out_), "{}:{}", text.size(), text);
  }
  void Number(int64_t number) { fmt::format_to(std::back_inserter(out_), "{};", number); }
  void Map(const Labels& labels) {
    Number(static_cast<int64_t>(labels.size()));
    for (const auto& [key, value] : labels) Text(key), Text(value);
  }
  void Map(const ResourceList& list) {
    Number(static_cast<int64_t>(list.size()));
    for (const auto& [key, value] : list) Text(key), Text(value.ToString());
  }
  template <typename List, typename Each>
  void Each_(const List& list, Each each) {
    Number(static_cast<int64_t>(list.size()));
    for (const auto& item : list) each(item);
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

void Write(Writer& w, const SelectorRequirement& requirement) {
  w.Text(requirement.key);
  w.Number(static_cast<int>(requirement.op));
  w.Each_(requirement.values, [&](const auto& value) { w.Text(value); });
}

void Write(Writer& w, const std::vector<SelectorRequirement>& requirements) {
  w.Each_(requirements, [&](const auto& requirement) { Write(w, requirement); });
}

void Write(Writer& w, const std::optional<LabelSelector>& selector) {
  w.Number(selector.has_value());
  if (!selector) return;
  w.Map(selector->match_labels);
  Write(w, selector->match_expressions);
}

void Write(Writer& w, const PodAffinityTerm& term) {
  Write(w, term.selector);
  w.Each_(term.namespaces, [&](const auto& name) { w.Text(name); });
  Write(w, term.namespace_selector);
  w.Text(term.topology_key);
}

void Write(Writer& w, const WeightedPodAffinityTerm& term) {
  w.Number(term.weight);
  Write(w, term.term);
}

void Write(Writer& w, const NodeSelectorTerm& term) {
  Write(w, term.match_expressions);
  Write(w, term.match_fields);
}

void Write(Writer& w, const WeightedNodeTerm& term) {
  w.Number(term.weight);
  Write(w, term.term);
}

void Write(Writer& w, const Affinity& affinity) {
  auto each = [&](const auto& term) { Write(w, term); };
  w.Number(affinity.required_nodes.has_value());
  if (affinity.required_nodes) w.Each_(affinity.required_nodes->terms, each);
  w.Each_(affinity.preferred_nodes, each);
  w.Each_(affinity.required_pods, each);
  w.Each_(affinity.required_anti_pods, each);
  w.Each_(affinity.preferred_pods, each);
  w.Each_(affinity.preferred_anti_pods, each);
}

void WriteTolerations(Writer& w, const PodShape& shape) {
  w.Each_(shape.tolerations, [&](const Toleration& toleration) {
    w.Text(toleration.key), w.Text(toleration.op);
    w.Text(toleration.value), w.Text(toleration.effect);
  });
}

void WritePorts(Writer& w, const PodShape& shape) {
  for (const auto& container : shape.containers) {
    w.Each_(container.host_ports, [&](const HostPort& port) {
      w.Text(port.ip), w.Text(port.protocol), w.Number(port.port);
    });
  }
}

void WriteVolumes(Writer& w, const PodShape& shape) {
  w.Each_(shape.volume_claims, [&](const VolumeClaimRef& claim) {
    w.Text(claim.claim_name), w.Number(claim.ephemeral);
  });
  w.Text(shape.other_volumes);
}

// Annotations that the engine reads.
bool Relevant(const std::string& key) {
  return key.starts_with("gpu-") || key.starts_with("nvidia.com/mig-") ||
         key == "runai/shared-gpu-configmap";
}

void WriteAnnotations(Writer& w, const PodShape& shape) {
  for (const auto& [key, value] : shape.annotations) {
    if (Relevant(key)) w.Text(key), w.Text(value);
  }
  auto app = shape.labels.find("app");
  w.Text(app == shape.labels.end() ? "" : app->second);
}

void WriteContainers(Writer& w, const PodShape& shape) {
  w.Each_(shape.containers, [&](const ContainerSpec& container) {
    w.Number(static_cast<int>(container.kind));
    w.Map(container.requests);
    w.Each_(container.config_maps, [&](const auto& name) { w.Text(name); });
  });
  w.Map(shape.overhead);
}

}  // namespace

std::string SignatureText(const PodShape& shape) {
  Writer w;
  WriteVolumes(w, shape);
  w.Map(shape.node_selector);
  Write(w, shape.affinity);
  WriteTolerations(w, shape);
  w.Text(shape.priority_class_name);
  w.Number(shape.priority);
  w.Text(shape.topology_spread);
  WritePorts(w, shape);
  return w.Take();
}

std::string ClassText(const PodShape& shape) {
  Writer w;
  w.Text(SignatureText(shape));
  w.Text(shape.namespace_name);
  w.Text(shape.scheduler_name);
  w.Number(static_cast<int>(shape.qos));
  WriteAnnotations(w, shape);
  WriteContainers(w, shape);
  return w.Take();
}

}  // namespace coppice::engine
