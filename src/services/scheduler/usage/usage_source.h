#pragma once

#include <map>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "engine/model/input.h"

namespace coppice::services::scheduler {

using Usage = std::map<std::string, engine::QueueUsage>;

// Where past usage comes from. Called by one thread at a time.
class UsageSource {
 public:
  virtual ~UsageSource() = default;
  // The fraction of the cluster that each queue used in the window that ends now; may block.
  virtual base::Result<Usage> Fetch(base::Time now) = 0;
};

}  // namespace coppice::services::scheduler
