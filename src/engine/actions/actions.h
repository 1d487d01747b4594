#pragma once

#include "engine/actions/search/action_context.h"

namespace coppice::engine {

void RunAllocate(ActionContext& context);
void RunConsolidation(ActionContext& context);
void RunReclaim(ActionContext& context);
void RunPreempt(ActionContext& context);
void RunStaleGangEviction(ActionContext& context);

}  // namespace coppice::engine
