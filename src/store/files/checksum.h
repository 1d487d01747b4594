#pragma once

#include <cstdint>
#include <string_view>

namespace coppice::store {

// Tells damaged bytes from those that were written: not against an adversary, only against disks.
// The same on every machine, and fast enough to check all objects at start.
uint64_t Checksum(std::string_view bytes);
// Goes on from `sum` with another number.
uint64_t MixChecksum(uint64_t sum, uint64_t word);

}  // namespace coppice::store
