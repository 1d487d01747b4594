#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/schema/field_error.h"
#include "operator/webhooks/checks.h"
#include "operator/webhooks/duplicates.h"

namespace coppice::operators::webhooks {
namespace {

using api::grove::PodCliqueSetTemplate;
using api::grove::PodCliqueTemplate;

void CheckEntries(const PodCliqueTemplate& clique, const std::string& path, Causes& causes) {
  for (const std::string& dependency : clique.spec.startsAfter) {
    if (IsBlank(dependency)) {
      causes.push_back(api::RequiredField(path, "clique dependency must not be empty"));
    }
    if (dependency == clique.name) {
      causes.push_back(
          api::InvalidField(path, dependency, "clique dependency cannot refer to itself"));
    }
  }
  if (const auto repeated = Duplicates(clique.spec.startsAfter); !repeated.empty()) {
    causes.push_back(api::DuplicateField(path, ToList(repeated)));
  }
}

// Tarjan's algorithm over startsAfter; components of more than one clique are cycles.
class CycleFinder {
 public:
  explicit CycleFinder(const PodCliqueSetTemplate& set) : set_(set) {
    for (const PodCliqueTemplate& clique : set.cliques) {
      if (!index_.contains(clique.name)) Visit(clique);
    }
  }
  const std::vector<std::vector<std::string>>& cycles() const { return cycles_; }

 private:
  void Visit(const PodCliqueTemplate& clique) {
    const int own = static_cast<int>(index_.size());
    index_[clique.name] = own;
    low_[clique.name] = own;
    stack_.push_back(clique.name);
    for (const std::string& name : clique.spec.startsAfter) Follow(clique.name, name);
    if (low_[clique.name] == own) PopComponent(clique.name);
  }

  void Follow(const std::string& from, const std::string& to) {
    const PodCliqueTemplate* next = set_.FindClique(to);
    if (next == nullptr) return;
    if (!index_.contains(to)) {
      Visit(*next);
      low_[from] = std::min(low_[from], low_[to]);
    } else if (std::find(stack_.begin(), stack_.end(), to) != stack_.end()) {
      low_[from] = std::min(low_[from], index_[to]);
    }
  }

  void PopComponent(const std::string& root) {
    std::vector<std::string> component;
    while (component.empty() || component.back() != root) {
      component.push_back(stack_.back());
      stack_.pop_back();
    }
    if (component.size() > 1) cycles_.push_back(std::move(component));
  }

  const PodCliqueSetTemplate& set_;
  std::map<std::string, int> index_;
  std::map<std::string, int> low_;
  std::vector<std::string> stack_;
  std::vector<std::vector<std::string>> cycles_;
};

void CheckUnknown(const PodCliqueSetTemplate& set, Causes& causes) {
  std::vector<std::string> unknown;
  for (const PodCliqueTemplate& clique : set.cliques) {
    for (const std::string& name : clique.spec.startsAfter) {
      if (set.FindClique(name) == nullptr) unknown.push_back(name);
    }
  }
  if (unknown.empty()) return;
  causes.push_back(api::InvalidField(
      "spec.template.cliques.startsAfter", fmt::format("{}", fmt::join(unknown, ",")),
      "unknown clique names found, all clique dependencies must be defined as cliques"));
}

}  // namespace

void CheckStartsAfter(const PodCliqueSetTemplate& set, size_t clique, Causes& causes) {
  if (set.StartupType() != api::grove::kStartExplicit) return;
  CheckEntries(set.cliques[clique], CliquePath(clique) + ".spec.startsAfter", causes);
}

void CheckDependencies(const PodCliqueSetTemplate& set, Causes& causes) {
  if (set.StartupType() != api::grove::kStartExplicit) return;
  CheckUnknown(set, causes);
  const CycleFinder finder(set);
  if (finder.cycles().empty()) return;
  json::Value cycles = json::Value::Array();
  for (const auto& cycle : finder.cycles()) cycles.Append(ToList(cycle));
  causes.push_back(api::InvalidField("spec.template.cliques", cycles,
                                     "clique must not have circular dependencies"));
}

}  // namespace coppice::operators::webhooks
