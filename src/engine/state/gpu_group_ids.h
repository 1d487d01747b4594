#pragma once

#include <cstdint>
#include <unordered_set>

#include "engine/state/values/journal.h"
#include "engine/state/values/names.h"

namespace coppice::engine {

// Ids of GPUs that become shared: a sequence of UUIDs that the seed determines. Ids that pods carry
// already are passed over: an engine that starts anew draws the same sequence.
class GpuGroupIds {
 public:
  GpuGroupIds(Names& names, uint64_t seed) : names_(names), seed_(seed) {}

  // Some pod carries it.
  void Know(NameId id) { known_.insert(id); }
  // Given again when a try is taken back.
  NameId Draw(Journal& journal);

 private:
  NameId Next();

  Names& names_;
  const uint64_t seed_;
  uint64_t drawn_ = 0;
  std::unordered_set<NameId> known_;
};

}  // namespace coppice::engine
