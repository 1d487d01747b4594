#include "engine/actions/actions.h"

#include <map>

namespace coppice::engine {

bool RunNamedAction(std::string_view name, ActionContext& context) {
  static const std::map<std::string_view, void (*)(ActionContext&)> kActions{
      {"allocate", RunAllocate},
      {"consolidation", RunConsolidation},
      {"reclaim", RunReclaim},
      {"preempt", RunPreempt},
      {"stalegangeviction", RunStaleGangEviction},
  };
  auto found = kActions.find(name);
  if (found == kActions.end()) return false;
  context.session.BeginAction(name);
  found->second(context);
  return true;
}

}  // namespace coppice::engine
