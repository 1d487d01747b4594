#pragma once

#include <string_view>

#include "engine/actions/job_lists.h"
#include "engine/framework/session.h"
#include "engine/placement/allocator.h"

namespace coppice::engine {

// State shared by the actions of one cycle.
struct ActionContext {
  Session& session;
  Allocator& allocator;
  JobLists& lists;
};

void RunAllocate(ActionContext& context);
void RunConsolidation(ActionContext& context);
void RunReclaim(ActionContext& context);
void RunPreempt(ActionContext& context);
void RunStaleGangEviction(ActionContext& context);

// False if there is no such action.
bool RunNamedAction(std::string_view name, ActionContext& context);

}  // namespace coppice::engine
