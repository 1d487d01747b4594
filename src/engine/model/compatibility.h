#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace coppice::engine {

// Undocumented behaviours of KAI that follow only from its code. Each can be set to KAI's behaviour
// ("kai") or to the expected one ("fixed"); docs/compatibility.md explains both.
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
  bool kept;              // KAI's behaviour is the default.
};

std::span<const QuirkInfo> Quirks();
std::optional<Quirk> FindQuirk(std::string_view name);

// Which quirks are kept as in KAI.
class Compatibility {
 public:
  Compatibility();
  bool Keeps(Quirk quirk) const { return kept_ >> static_cast<int>(quirk) & 1; }
  void Set(Quirk quirk, bool keep);

 private:
  uint64_t kept_ = 0;  // One bit per quirk.
};

}  // namespace coppice::engine
