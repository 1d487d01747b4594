#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace coppice::engine {

using NodeId = int32_t;
using TaskId = int32_t;
using JobId = int32_t;
using QueueId = int32_t;
using ClassId = int32_t;
using NameId = uint32_t;
inline constexpr int32_t kNone = -1;
using NodeSet = std::vector<NodeId>;  // By name.

// Strings that are kept once and compared by number. Never forgets; 0 is the empty string.
class Names {
 public:
  Names();
  NameId Intern(std::string_view text);
  // kMissing when the text was never interned.
  NameId Find(std::string_view text) const;
  std::string_view Text(NameId id) const { return texts_[id]; }
  size_t size() const { return texts_.size(); }

  static constexpr NameId kMissing = ~NameId{0};

 private:
  std::string_view Keep(std::string_view text);

  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_free_ = 0;
  std::vector<std::string_view> texts_;
  boost::unordered_flat_map<std::string_view, NameId> ids_;
};

}  // namespace coppice::engine
