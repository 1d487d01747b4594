#pragma once

#include <cstdint>
#include <string_view>

namespace coppice::store {

// Detects damaged bytes: protects against faulty disks, not against an adversary. The same on every
// machine, and fast enough to check all objects at start.
uint64_t Checksum(std::string_view bytes);
// Continues `sum` with another number.
uint64_t MixChecksum(uint64_t sum, uint64_t word);

}  // namespace coppice::store
