#include "engine/model/compatibility.h"

#include <algorithm>

namespace coppice::engine {
namespace {

constexpr QuirkInfo kQuirks[] = {
    {Quirk::kConsolidationLimit, "consolidationLimit", true},
    {Quirk::kQueueDepthSlot, "queueDepthSlot", false},
    {Quirk::kMultiplierSpelling, "multiplierSpelling", false},
    {Quirk::kGreedyFilters, "greedyFilters", true},
    {Quirk::kGroupNames, "groupNames", false},
    {Quirk::kStickySkips, "stickySkips", true},
    {Quirk::kActionsRequired, "actionsRequired", true},
    {Quirk::kUsageWindows, "usageWindows", false},
    {Quirk::kStaleEvictionTime, "staleEvictionTime", true},
    {Quirk::kDisabledHooks, "disabledHooks", true},
    {Quirk::kStaleRequests, "staleRequests", false},
    {Quirk::kEqualQueueAges, "equalQueueAges", false},
    {Quirk::kLazyQueueOrder, "lazyQueueOrder", true},
    {Quirk::kSharingScore, "sharingScore", true},
    {Quirk::kSharedGpuSlots, "sharedGpuSlots", true},
    {Quirk::kPoppedVictims, "poppedVictims", true},
    {Quirk::kVictimsNamedTwice, "victimsNamedTwice", true},
    {Quirk::kUnscoredNodes, "unscoredNodes", true},
    {Quirk::kForeignGpuUnits, "foreignGpuUnits", false},
    {Quirk::kMigMemoryUnits, "migMemoryUnits", true},
    {Quirk::kClaimedResources, "claimedResources", false},
    {Quirk::kClaimedGpusPerNode, "claimedGpusPerNode", true},
    {Quirk::kShareUnits, "shareUnits", true},
    {Quirk::kGpuNames, "gpuNames", true},
    {Quirk::kNotReadyTimes, "notReadyTimes", true},
    {Quirk::kSimulatedErrors, "simulatedErrors", true},
    {Quirk::kDeadlines, "deadlines", true},
    {Quirk::kEvictionOverlay, "evictionOverlay", false},
    {Quirk::kStuckPods, "stuckPods", true},
    {Quirk::kSilentDeadlines, "silentDeadlines", true},
};

}  // namespace

std::span<const QuirkInfo> Quirks() { return kQuirks; }

std::optional<Quirk> FindQuirk(std::string_view name) {
  const auto* found = std::find_if(std::begin(kQuirks), std::end(kQuirks),
                                   [&](const QuirkInfo& info) { return info.name == name; });
  if (found == std::end(kQuirks)) return std::nullopt;
  return found->quirk;
}

Compatibility::Compatibility() {
  for (const QuirkInfo& info : kQuirks) Set(info.quirk, info.kept);
}

void Compatibility::Set(Quirk quirk, bool keep) {
  const uint64_t bit = uint64_t{1} << static_cast<int>(quirk);
  kept_ = keep ? kept_ | bit : kept_ & ~bit;
}

}  // namespace coppice::engine
