#pragma once

#include <cstdint>
#include <unordered_set>

#include "engine/state/values/journal.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// Ids of GPUs that become shared: a sequence of UUIDs determined by the seed. Skips ids that pods
// already carry, because an engine draws the same sequence after a restart.
class GpuGroupIds {
 public:
  GpuGroupIds(Names& names, uint64_t seed) : names_(names), seed_(seed) {}

  // Call for an id that a pod carries.
  void Know(NameId id) { known_.insert(id); }
  // A rollback makes the id available again.
  NameId Draw(Journal& journal);
  // Goes on where `other` is.
  void ContinueAfter(const GpuGroupIds& other) { drawn_ = other.drawn_; }

 private:
  NameId Next();

  Names& names_;
  const uint64_t seed_;
  uint64_t drawn_ = 0;
  std::unordered_set<NameId> known_;
};

}  // namespace coppice::engine
