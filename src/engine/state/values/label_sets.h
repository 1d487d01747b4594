#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "engine/model/input.h"

namespace coppice::engine {

// Label sets that many pods share, interned; 0 is the empty set. The meaning of an id never
// changes.
class LabelSets {
 public:
  LabelSets() { Intern({}); }
  int32_t Intern(const Labels& labels) {
    auto [found, added] = ids_.try_emplace(labels, static_cast<int32_t>(sets_.size()));
    if (added) sets_.push_back(&found->first);
    return found->second;
  }
  const Labels& operator[](int32_t id) const { return *sets_[id]; }

 private:
  std::map<Labels, int32_t> ids_;
  std::vector<const Labels*> sets_;
};

}  // namespace coppice::engine
