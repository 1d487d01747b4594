#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace coppice::page {

// Short numbers for workloads: each keeps its own while it exists, and none is used again.
class Numbers {
 public:
  int64_t Of(const std::string& id) {
    const auto [found, added] = numbers_.try_emplace(id, next_);
    if (added) ++next_;
    return found->second;
  }
  // Drops those that are not in `ids`, a container of ids.
  template <typename Ids>
  void Keep(const Ids& ids) {
    std::erase_if(numbers_, [&](const auto& entry) { return !ids.contains(entry.first); });
  }
  size_t size() const { return numbers_.size(); }

 private:
  int64_t next_ = 1;
  std::unordered_map<std::string, int64_t> numbers_;
};

}  // namespace coppice::page
