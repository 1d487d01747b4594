#include "services/admission/pod_group.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/forest.h"
#include "engine/model/sub_groups.h"

namespace coppice::services::admission {
namespace {

class Tree {
 public:
  explicit Tree(view::kai::PodGroupSpec spec) : spec_(spec) {}

  // The first structural error.
  std::optional<std::string> StructuralError() {
    if (spec_.has_minMember() && spec_.has_minSubGroup()) {
      return fmt::format(
          "minMember and minSubGroup are mutually exclusive: set minMember ({}) to schedule a "
          "fixed "
          "number of pods, or set minSubGroup to require a minimum number of child SubGroups, but "
          "not both",
          spec_.minMember());
    }
    for (const view::kai::SubGroup node : spec_.subGroups()) {
      const std::string name(node.name());
      if (!nodes_.emplace(name, node).second) return "duplicate subgroup name " + name;
    }
    for (const auto& [name, node] : nodes_) {
      const std::string parent(node.parent());
      if (parent.empty()) {
        ++roots_;
        continue;
      }
      if (!nodes_.contains(parent))
        return fmt::format("parent {} of {} was not found", parent, name);
      ++children_[parent];
    }
    if (const auto problem = DepthError()) return problem;
    for (const auto& [name, node] : nodes_) {
      if (node.has_minMember() && node.has_minSubGroup()) {
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
        CheckLeaf(name, node, errors);
      } else {
        CheckInner(name, node, found->second, is_update, errors, warnings);
      }
    }
    CheckCount("", spec_.minSubGroup(), roots_, warnings);
  }

 private:
  std::optional<std::string> DepthError() const {
    std::map<std::string_view, int32_t> index;
    for (const auto& [name, node] : nodes_) index.emplace(name, index.size());
    std::vector<int32_t> parents;
    for (const auto& [name, node] : nodes_) {
      const auto parent = index.find(node.parent());
      parents.push_back(parent == index.end() ? -1 : parent->second);
    }
    for (const base::Ancestry& ancestry : base::Ancestries(parents)) {
      if (ancestry.depth < 0) return "cycle detected in subgroups";
      if (ancestry.depth >= engine::kMaxSubGroupDepth) {
        return fmt::format("subgroups must not be nested more than {} deep",
                           engine::kMaxSubGroupDepth);
      }
    }
    return std::nullopt;
  }

  static void CheckLeaf(const std::string& name, view::kai::SubGroup node,
                        std::vector<std::string>& errors) {
    if (node.has_minSubGroup()) {
      errors.push_back(fmt::format(
          "subgroup \"{}\": minSubGroup cannot be set on a leaf SubGroup (no child SubGroups)",
          name));
    }
    if (!node.has_minMember()) {
      errors.push_back(fmt::format("subgroup {}: minMember is required", name));
    }
  }

  static void CheckInner(const std::string& name, view::kai::SubGroup node, int64_t children,
                         bool is_update, std::vector<std::string>& errors,
                         std::vector<std::string>& warnings) {
    if (node.has_minMember()) {
      (is_update ? warnings : errors)
          .push_back(fmt::format(
              "subgroup \"{}\": minMember cannot be set on a mid-level SubGroup (has child "
              "SubGroups); use minSubGroup instead",
              name));
    }
    CheckCount(fmt::format("subgroup \"{}\": ", name), node.minSubGroup(), children, warnings);
  }

  static void CheckCount(const std::string& what, int64_t least, int64_t children,
                         std::vector<std::string>& warnings) {
    if (least <= children) return;
    warnings.push_back(
        fmt::format("{}minSubGroup ({}) exceeds the number of direct child SubGroups ({})", what,
                    least, children));
  }

  const view::kai::PodGroupSpec spec_;
  std::map<std::string, view::kai::SubGroup> nodes_;
  std::map<std::string, int64_t> children_;
  int64_t roots_ = 0;
};

std::string Join(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : "\n") + text;
  return out;
}

}  // namespace

Verdict ValidatePodGroup(view::kai::PodGroup group, bool is_update) {
  Tree tree(group.spec());
  if (const auto error = tree.StructuralError()) return Verdict::Refuse(*error);
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  tree.CheckMinimums(is_update, errors, warnings);
  Verdict verdict = errors.empty() ? Verdict() : Verdict::Refuse(Join(errors));
  verdict.warnings = std::move(warnings);
  return verdict;
}

}  // namespace coppice::services::admission
