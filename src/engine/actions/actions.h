#pragma once

#include <string_view>

#include "engine/actions/job_lists.h"
#include "engine/framework/session.h"
#include "engine/placement/allocator.h"

namespace coppice::engine {

// What the actions of one cycle share.
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

// False when there is no such action.
bool RunNamedAction(std::string_view name, ActionContext& context);

}  // namespace coppice::engine
