#include "services/admission/pod_group.h"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace coppice::services::admission {
namespace {

class Tree {
 public:
  explicit Tree(const json::Value& spec) : spec_(spec) {}

  // The first structural error.
  std::optional<std::string> StructuralError() {
    if (spec_.Has("minMember") && spec_.Has("minSubGroup")) {
      return fmt::format(
          "minMember and minSubGroup are mutually exclusive: set minMember ({}) to schedule a "
          "fixed "
          "number of pods, or set minSubGroup to require a minimum number of child SubGroups, but "
          "not both",
          spec_["minMember"].AsInt());
    }
    for (const json::Value& node : spec_["subGroups"].Items()) {
      const std::string name = node["name"].ToString();
      if (!nodes_.emplace(name, &node).second) return "duplicate subgroup name " + name;
    }
    for (const auto& [name, node] : nodes_) {
      const std::string parent = (*node)["parent"].ToString();
      if (parent.empty()) {
        ++roots_;
        continue;
      }
      if (!nodes_.contains(parent))
        return fmt::format("parent {} of {} was not found", parent, name);
      ++children_[parent];
    }
    for (const auto& [name, node] : nodes_) {
      if (IsInCycle(name)) return "cycle detected in subgroups";
    }
    for (const auto& [name, node] : nodes_) {
      if (node->Has("minMember") && node->Has("minSubGroup")) {
        return fmt::format("subgroup \"{}\": minMember and minSubGroup are mutually exclusive",
                           name);
      }
    }
    return std::nullopt;
  }

  void CheckMinimums(bool is_update, std::vector<std::string>& errors,
                     std::vector<std::string>& warnings) const {
    for (const auto& [name, node] : nodes_) {
      const auto found = children_.find(name);
      if (found == children_.end()) {
        CheckLeaf(name, *node, errors);
      } else {
        CheckInner(name, *node, found->second, is_update, errors, warnings);
      }
    }
    CheckCount("", spec_, roots_, warnings);
  }

 private:
  bool IsInCycle(const std::string& start) const {
    std::string name = start;
    for (size_t steps = 0; steps <= nodes_.size(); ++steps) {
      const auto node = nodes_.find(name);
      if (node == nodes_.end()) return false;
      name = (*node->second)["parent"].ToString();
      if (name == start) return true;
    }
    return false;
  }

  static void CheckLeaf(const std::string& name, const json::Value& node,
                        std::vector<std::string>& errors) {
    if (node.Has("minSubGroup")) {
      errors.push_back(fmt::format(
          "subgroup \"{}\": minSubGroup cannot be set on a leaf SubGroup (no child SubGroups)",
          name));
    }
    if (!node.Has("minMember")) {
      errors.push_back(fmt::format("subgroup {}: minMember is required", name));
    }
  }

  static void CheckInner(const std::string& name, const json::Value& node, int64_t children,
                         bool is_update, std::vector<std::string>& errors,
                         std::vector<std::string>& warnings) {
    if (node.Has("minMember")) {
      (is_update ? warnings : errors)
          .push_back(fmt::format(
              "subgroup \"{}\": minMember cannot be set on a mid-level SubGroup (has child "
              "SubGroups); use minSubGroup instead",
              name));
    }
    CheckCount(fmt::format("subgroup \"{}\": ", name), node, children, warnings);
  }

  static void CheckCount(const std::string& what, const json::Value& node, int64_t children,
                         std::vector<std::string>& warnings) {
    if (node["minSubGroup"].AsInt() <= children) return;
    warnings.push_back(
        fmt::format("{}minSubGroup ({}) exceeds the number of direct child SubGroups ({})", what,
                    node["minSubGroup"].AsInt(), children));
  }

  const json::Value& spec_;
  std::map<std::string, const json::Value*> nodes_;
  std::map<std::string, int64_t> children_;
  int64_t roots_ = 0;
};

std::string Join(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : "\n") + text;
  return out;
}

}  // namespace

Verdict ValidatePodGroup(const json::Value& group, bool is_update) {
  Tree tree(group["spec"]);
  if (const auto error = tree.StructuralError()) return Verdict::Refuse(*error);
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  tree.CheckMinimums(is_update, errors, warnings);
  Verdict verdict = errors.empty() ? Verdict() : Verdict::Refuse(Join(errors));
  verdict.warnings = std::move(warnings);
  return verdict;
}

}  // namespace coppice::services::admission
