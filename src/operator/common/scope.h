#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace coppice::operators::podcliqueset {

// The replicas of a set that a pass looks at: all, or some.
class Scope {
 public:
  static Scope All() { return Scope(); }
  static Scope Only(std::set<int> replicas) { return Scope(std::move(replicas)); }

  bool all() const { return !replicas_; }
  // Those of them that a set with `count` replicas has, in order.
  std::vector<int> Of(int count) const;

 private:
  Scope() = default;
  explicit Scope(std::set<int> replicas) : replicas_(std::move(replicas)) {}

  std::optional<std::set<int>> replicas_;
};

}  // namespace coppice::operators::podcliqueset
