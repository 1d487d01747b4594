#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace coppice::operators::podcliqueset {

// The replicas of a set that a reconcile covers: all, or some.
class Scope {
 public:
  static Scope All() { return Scope(); }
  static Scope Only(std::set<int> replicas) { return Scope(std::move(replicas)); }

  bool all() const { return !replicas_; }
  // The covered replicas of a set with `count` replicas, in order.
  std::vector<int> Of(int count) const;

 private:
  Scope() = default;
  explicit Scope(std::set<int> replicas) : replicas_(std::move(replicas)) {}

  std::optional<std::set<int>> replicas_;
};

}  // namespace coppice::operators::podcliqueset
