#pragma once

#include <cstdint>

namespace coppice::engine {

// The changes that the journal records as operations, with their reverse (Cluster::Reverse).
enum JournalOperation : uint8_t { kSetStatus, kChargePlain, kChargeQueue, kShrinkPlaces, kAddIdle };

}  // namespace coppice::engine
