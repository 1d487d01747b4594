#pragma once

#include "engine/order/job_lists.h"
#include "engine/placement/allocator.h"
#include "engine/session/session.h"

namespace coppice::engine {

// State shared by the actions of one cycle.
struct ActionContext {
  Session& session;
  Allocator& allocator;
  JobLists& lists;
};

}  // namespace coppice::engine
