#pragma once

#include <vector>

#include "engine/state/values/names.h"

namespace coppice::engine {

// What has changed in this cycle, in order: nodes whose amounts did, and jobs of tasks whose status
// did. Grows only, so that whoever keeps something derived remembers a position and reads on from
// there; taking a try back is a change like any other. Kept until the next cycle starts; changes
// between cycles are not noted.
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
