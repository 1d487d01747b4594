#include "store/files/checksum.h"

#include <bit>
#include <cstring>

namespace coppice::store {
namespace {

constexpr uint64_t kFirst = 0x9e3779b97f4a7c15, kSecond = 0xd1b54a32d192ed03;

uint64_t Word(const char* at, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, at, size);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

}  // namespace

uint64_t MixChecksum(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * kFirst;
  return sum ^ (sum >> 29);
}

// Two chains, so that the multiplications of one fill the waits of the other.
uint64_t Checksum(std::string_view bytes) {
  uint64_t even = kFirst ^ bytes.size(), odd = kSecond;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 16; at += 16, left -= 16) {
    even = MixChecksum(even, Word(at, 8));
    odd = MixChecksum(odd, Word(at + 8, 8));
  }
  if (left >= 8) {
    even = MixChecksum(even, Word(at, 8));
    at += 8, left -= 8;
  }
  odd = MixChecksum(odd, Word(at, left));
  return MixChecksum(even, odd * kSecond);
}

}  // namespace coppice::store
