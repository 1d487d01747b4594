#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace coppice::engine {

// Behaviours of KAI that follow from its code and from nothing that it says. Each can be had as KAI
// has it ("kai") or as one would expect it ("fixed"); docs/compatibility.md says what either means.
enum class Quirk : uint8_t {
  kConsolidationLimit,
  kQueueDepthSlot,
  kMultiplierSpelling,
  kGreedyFilters,
  kGroupNames,
  kStickySkips,
  kActionsRequired,
  kUsageWindows,
  kStaleEvictionTime,
  kDisabledHooks,
  kStaleRequests,
  kEqualQueueAges,
  kLazyQueueOrder,
  kSharingScore,
  kSharedGpuSlots,
  kPoppedVictims,
  kVictimsNamedTwice,
  kUnscoredNodes,
  kForeignGpuUnits,
  kMigMemoryUnits,
  kClaimedResources,
  kClaimedGpusPerNode,
  kShareUnits,
  kGpuNames,
  kNotReadyTimes,
  kSimulatedErrors,
  kDeadlines,
  kEvictionOverlay,
  kStuckPods,
  kSilentDeadlines,
  kCount,
};

struct QuirkInfo {
  Quirk quirk;
  std::string_view name;  // In the configuration.
  bool kept;              // As KAI has it, unless the configuration says otherwise.
};

std::span<const QuirkInfo> Quirks();
std::optional<Quirk> FindQuirk(std::string_view name);

// Which of them are as KAI has them.
class Compatibility {
 public:
  Compatibility();
  bool Keeps(Quirk quirk) const { return kept_ >> static_cast<int>(quirk) & 1; }
  void Set(Quirk quirk, bool keep);

 private:
  uint64_t kept_ = 0;  // A bit for each.
};

}  // namespace coppice::engine
