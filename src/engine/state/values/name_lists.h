#pragma once

#include <map>
#include <vector>

#include "engine/state/values/names.h"

namespace coppice::engine {

// Interned lists of names that many share (groups of shared GPUs, resources); 0 is the empty list.
class NameLists {
 public:
  NameLists() { Intern({}); }
  int32_t Intern(const std::vector<NameId>& names) {
    auto [found, added] = ids_.try_emplace(names, static_cast<int32_t>(lists_.size()));
    if (added) lists_.push_back(&found->first);
    return found->second;
  }
  const std::vector<NameId>& operator[](int32_t id) const { return *lists_[id]; }

 private:
  std::map<std::vector<NameId>, int32_t> ids_;
  std::vector<const std::vector<NameId>*> lists_;
};

}  // namespace coppice::engine
