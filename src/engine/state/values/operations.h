#pragma once

#include <cstdint>

namespace coppice::engine {

// What the journal notes as an operation, with its reverse (Cluster::Reverse).
enum JournalOperation : uint8_t { kSetStatus, kChargePlain, kChargeQueue, kShrinkPlaces, kAddIdle };

}  // namespace coppice::engine
