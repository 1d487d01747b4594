#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <functional>
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
using NodeSet = std::vector<NodeId>;  // Sorted by name.

// Interned strings, compared by id. Never frees any; 0 is the empty string. Costs the text and
// about 30 bytes per name.
class Names {
 public:
  Names();
  Names(const Names&) = delete;  // The index refers to this object.
  NameId Intern(std::string_view text);
  // kMissing if the text was never interned.
  NameId Find(std::string_view text) const;
  std::string_view Text(NameId id) const { return texts_[id]; }
  size_t size() const { return texts_.size(); }

  static constexpr NameId kMissing = ~NameId{0};

 private:
  using Texts = std::vector<std::string_view>;
  // Both treat an id as its text, so that the index only holds ids.
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    size_t operator()(NameId id) const { return (*this)((*texts)[id]); }
    const Texts* texts;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(NameId a, NameId b) const { return a == b; }
    bool operator()(std::string_view a, NameId b) const { return a == (*texts)[b]; }
    bool operator()(NameId a, std::string_view b) const { return (*texts)[a] == b; }
    const Texts* texts;
  };
  std::string_view Keep(std::string_view text);

  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_free_ = 0;
  Texts texts_;
  boost::unordered_flat_set<NameId, Hash, Equal> ids_;
};

}  // namespace coppice::engine
