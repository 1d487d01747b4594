#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "api/schema/errors/field_error.h"
#include "operator/webhooks/checks/checks.h"
#include "operator/webhooks/checks/duplicates.h"

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

// Cliques by name, and the indices of those that each starts after.
class Dependencies {
 public:
  explicit Dependencies(const PodCliqueSetTemplate& set) {
    for (const PodCliqueTemplate& clique : set.cliques) {
      index_.emplace(clique.name, index_.size());
    }
    names_.resize(index_.size());
    edges_.resize(index_.size());
    for (const PodCliqueTemplate& clique : set.cliques) Add(clique);
  }

  const std::vector<std::string>& unknown() const { return unknown_; }
  size_t size() const { return names_.size(); }
  const std::vector<size_t>& After(size_t clique) const { return edges_[clique]; }
  const std::string& Name(size_t clique) const { return names_[clique]; }

 private:
  // If two have the same name, the first counts.
  void Add(const PodCliqueTemplate& clique) {
    const size_t own = index_.at(clique.name);
    const bool first = names_[own].empty();
    names_[own] = clique.name;
    for (const std::string& name : clique.spec.startsAfter) {
      const auto found = index_.find(name);
      if (found == index_.end()) {
        unknown_.push_back(name);
      } else if (first) {
        edges_[own].push_back(found->second);
      }
    }
  }

  std::map<std::string, size_t> index_;
  std::vector<std::string> names_;
  std::vector<std::vector<size_t>> edges_;
  std::vector<std::string> unknown_;
};

// Tarjan's algorithm over startsAfter, without recursion; components of more than one clique are
// cycles.
class CycleFinder {
 public:
  explicit CycleFinder(const Dependencies& graph) : graph_(graph), state_(graph.size()) {
    for (size_t clique = 0; clique < graph.size(); ++clique) {
      if (state_[clique].index < 0) Visit(clique);
    }
  }
  const std::vector<std::vector<std::string>>& cycles() const { return cycles_; }

 private:
  struct State {
    int index = -1;
    int low = 0;
    bool stacked = false;
    size_t next = 0;  // Edge to follow.
  };

  void Visit(size_t start) {
    std::vector<size_t> calls{start};
    Enter(start);
    while (!calls.empty()) {
      const size_t clique = calls.back();
      const std::vector<size_t>& after = graph_.After(clique);
      if (state_[clique].next < after.size()) {
        const size_t to = after[state_[clique].next++];
        if (state_[to].index < 0) {
          Enter(to);
          calls.push_back(to);
        } else if (state_[to].stacked) {
          state_[clique].low = std::min(state_[clique].low, state_[to].index);
        }
        continue;
      }
      if (state_[clique].low == state_[clique].index) PopComponent(clique);
      calls.pop_back();
      if (!calls.empty()) {
        State& caller = state_[calls.back()];
        caller.low = std::min(caller.low, state_[clique].low);
      }
    }
  }

  void Enter(size_t clique) {
    state_[clique].index = state_[clique].low = entered_++;
    state_[clique].stacked = true;
    stack_.push_back(clique);
  }

  void PopComponent(size_t root) {
    std::vector<std::string> component;
    for (size_t at = SIZE_MAX; at != root;) {
      at = stack_.back();
      stack_.pop_back();
      state_[at].stacked = false;
      component.push_back(graph_.Name(at));
    }
    if (component.size() > 1) cycles_.push_back(std::move(component));
  }

  const Dependencies& graph_;
  std::vector<State> state_;
  int entered_ = 0;
  std::vector<size_t> stack_;
  std::vector<std::vector<std::string>> cycles_;
};

}  // namespace

void CheckStartsAfter(const PodCliqueSetTemplate& set, size_t clique, Causes& causes) {
  if (set.StartupType() != api::grove::kStartExplicit) return;
  CheckEntries(set.cliques[clique], CliquePath(clique) + ".spec.startsAfter", causes);
}

void CheckDependencies(const PodCliqueSetTemplate& set, Causes& causes) {
  if (set.StartupType() != api::grove::kStartExplicit) return;
  const Dependencies graph(set);
  if (!graph.unknown().empty()) {
    causes.push_back(api::InvalidField(
        "spec.template.cliques.startsAfter", fmt::format("{}", fmt::join(graph.unknown(), ",")),
        "unknown clique names found, all clique dependencies must be defined as cliques"));
  }
  const CycleFinder finder(graph);
  if (finder.cycles().empty()) return;
  json::Value cycles = json::Value::Array();
  for (const auto& cycle : finder.cycles()) cycles.Append(ToList(cycle));
  causes.push_back(api::InvalidField("spec.template.cliques", cycles,
                                     "clique must not have circular dependencies"));
}

}  // namespace coppice::operators::webhooks
