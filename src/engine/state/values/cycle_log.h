#pragma once

#include <vector>

#include "engine/state/values/names.h"

namespace coppice::engine {

// What changed in this cycle, in order: nodes whose amounts changed, and jobs of tasks whose status
// changed. Append-only, so that derived state can remember a position and continue from there; a
// rollback is a change like any other. Kept until the next cycle starts; changes between cycles are
// not logged.
class CycleLog {
 public:
  void Start() {
    charged_.clear();
    moved_.clear();
    open_ = true;
  }
  void Stop() { open_ = false; }

  void Charged(NodeId node) {
    if (open_) charged_.push_back(node);
  }
  void Moved(JobId job) {
    if (open_) moved_.push_back(job);
  }

  const std::vector<NodeId>& charged() const { return charged_; }
  const std::vector<JobId>& moved() const { return moved_; }

 private:
  bool open_ = false;
  std::vector<NodeId> charged_;
  std::vector<JobId> moved_;
};

}  // namespace coppice::engine
