#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/view/karta.h"
#include "json/value.h"
#include "services/grouper/karta/jq.h"

namespace coppice::services::grouper {

// The components of a workload as described by a Karta: a tree, with jq paths into the workload's
// object (replica counts) and its pods (membership).
class KartaStructure {
 public:
  // Errors say what makes the Karta invalid.
  static base::Result<KartaStructure> Read(view::karta::Karta karta);

  const std::string& root() const { return root_; }
  bool Has(const std::string& component) const { return components_.contains(component); }
  // "" for the root.
  const std::string& ParentOf(const std::string& component) const;

  // Whether the pod is one of this component, or of one below it.
  base::Result<bool> Contains(const std::string& component, const json::Value& pod) const;
  // The leaf component that the pod belongs to; nullopt if there is none.
  base::Result<std::optional<std::string>> LeafOf(const json::Value& pod) const;

  // The minimum number of pods of the component and its descendants in this workload.
  base::Result<int64_t> SubtreeScale(const std::string& component,
                                     const json::Value& workload) const;
  // Of the one instance of a component that the pod belongs to.
  base::Result<int64_t> InstanceScale(const std::string& component, const json::Value& workload,
                                      const json::Value& pod) const;

 private:
  struct Component {
    std::string parent;
    std::vector<std::string> children;
    std::optional<Jq> key_path;
    std::optional<std::string> key_value;
    std::optional<Jq> replicas, min_replicas;
    std::optional<Jq> instance_id, pod_instance;

    bool HasScale() const { return replicas || min_replicas; }
  };

  static base::Result<Component> ReadComponent(view::karta::ComponentDefinition definition);
  base::Status Link();
  bool SubtreeHasScale(const std::string& component) const;
  base::Result<std::vector<int64_t>> Scales(const Component& component,
                                            const json::Value& workload) const;
  base::Result<int64_t> CountLeaves(const std::string& component,
                                    const json::Value& workload) const;
  base::Result<bool> Matches(const Component& component, const json::Value& pod) const;

  std::string root_;
  std::map<std::string, Component> components_;
};

}  // namespace coppice::services::grouper
