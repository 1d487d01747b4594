#include "engine/compatibility.h"

#include <algorithm>

namespace coppice::engine {
namespace {

constexpr QuirkInfo kQuirks[] = {
    {Quirk::kConsolidationLimit, "Q1", "consolidationLimit", true},
    {Quirk::kQueueDepthSlot, "Q2", "queueDepthSlot", false},
    {Quirk::kMultiplierSpelling, "Q3", "multiplierSpelling", false},
    {Quirk::kGreedyFilters, "Q4", "greedyFilters", true},
    {Quirk::kGroupNames, "Q6", "groupNames", false},
    {Quirk::kStickySkips, "Q8", "stickySkips", true},
    {Quirk::kActionsRequired, "Q9", "actionsRequired", true},
    {Quirk::kUsageWindows, "Q10", "usageWindows", false},
    {Quirk::kStaleEvictionTime, "Q12", "staleEvictionTime", true},
    {Quirk::kDisabledHooks, "Q13", "disabledHooks", true},
    {Quirk::kStaleRequests, "Q14", "staleRequests", false},
    {Quirk::kEqualQueueAges, "Q15", "equalQueueAges", false},
    {Quirk::kLazyQueueOrder, "Q16", "lazyQueueOrder", true},
    {Quirk::kSharingScore, "Q17", "sharingScore", true},
    {Quirk::kSharedGpuSlots, "Q18", "sharedGpuSlots", true},
    {Quirk::kPoppedVictims, "Q19", "poppedVictims", true},
    {Quirk::kVictimsNamedTwice, "Q20", "victimsNamedTwice", true},
    {Quirk::kUnscoredNodes, "Q21", "unscoredNodes", true},
    {Quirk::kForeignGpuUnits, "Q22", "foreignGpuUnits", false},
    {Quirk::kMigMemoryUnits, "Q23", "migMemoryUnits", true},
    {Quirk::kClaimedResources, "Q24", "claimedResources", false},
    {Quirk::kClaimedGpusPerNode, "Q25", "claimedGpusPerNode", true},
    {Quirk::kShareUnits, "Q26", "shareUnits", true},
    {Quirk::kGpuNames, "Q28", "gpuNames", true},
    {Quirk::kNotReadyTimes, "Q29", "notReadyTimes", true},
    {Quirk::kSimulatedErrors, "Q30", "simulatedErrors", true},
    {Quirk::kDeadlines, "Q31", "deadlines", true},
    {Quirk::kEvictionOverlay, "Q32", "evictionOverlay", false},
    {Quirk::kStuckPods, "Q33", "stuckPods", true},
    {Quirk::kSilentDeadlines, "Q34", "silentDeadlines", true},
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
