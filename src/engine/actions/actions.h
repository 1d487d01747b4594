#pragma once

#include <string_view>

#include "engine/placement/allocator.h"
#include "engine/placement/predicates.h"
#include "engine/session.h"
#include "engine/state/job_lists.h"

namespace coppice::engine {

// What the actions of one cycle share.
struct ActionContext {
  Session& session;
  Predicates* predicates;  // Null without the plugin.
  Allocator& allocator;
  JobLists& lists;
};

void RunAllocate(ActionContext& context);
void RunConsolidation(ActionContext& context);
void RunReclaim(ActionContext& context);
void RunPreempt(ActionContext& context);
void RunStaleGangEviction(ActionContext& context);

// False when there is no such action.
bool RunNamedAction(std::string_view name, ActionContext& context);

}  // namespace coppice::engine
