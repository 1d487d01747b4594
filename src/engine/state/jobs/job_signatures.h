#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "engine/state/jobs/job.h"
#include "engine/state/jobs/task_table.h"
#include "engine/state/values/pod_class.h"

namespace coppice::engine {

// Numbers jobs by what their waiting pods look like, ignoring requests: jobs have the same number
// exactly if they have equal signatures (docs/behaviour/engine.md S-34).
class JobSignatures {
 public:
  int32_t Of(const Job& job, const TaskTable& tasks, const PodClasses& classes);

 private:
  std::unordered_map<std::string, int32_t> ids_;
};

}  // namespace coppice::engine
