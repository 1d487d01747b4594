#include "engine/state/jobs/job_signatures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "engine/state/jobs/status.h"

namespace coppice::engine {

int32_t JobSignatures::Of(const Job& job, const TaskTable& tasks, const PodClasses& classes) {
  std::vector<std::string> parts;
  for (const auto& pod_set : job.pod_sets) {
    std::vector<int32_t> pods;
    for (TaskId task : pod_set.tasks) {
      if (!IsActive(tasks[task].status)) pods.push_back(classes[tasks[task].cls].signature);
    }
    if (pods.empty()) {
      parts.emplace_back();
      continue;
    }
    std::sort(pods.begin(), pods.end());
    std::string part = fmt::format("{}:{}:{}", pod_set.constraint.topology,
                                   pod_set.constraint.required, pod_set.constraint.preferred);
    for (int set = pod_set.parent; set != kNone; set = job.sets[set].parent) {
      const Constraint& constraint = job.sets[set].constraint;
      part +=
          fmt::format("|{}:{}:{}", constraint.topology, constraint.required, constraint.preferred);
    }
    parts.push_back(part + fmt::format("#{}", fmt::join(pods, ",")));
  }
  std::sort(parts.begin(), parts.end());
  const std::string text = fmt::format("{}", fmt::join(parts, ";"));
  return ids_.try_emplace(text, static_cast<int32_t>(ids_.size())).first->second;
}

}  // namespace coppice::engine
