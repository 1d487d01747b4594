#pragma once

#include <cstdint>
#include <string_view>

#include "json/value.h"

namespace coppice::json {

// A 128-bit hash of what was added, in order: two independent hashes, so collisions are practically
// impossible. Not for adversarial input, nor for storage.
struct ContentHash {
  uint64_t a = 0x9E3779B97F4A7C15ull;
  uint64_t b = 0xD1B54A32D192ED03ull;

  void Add(uint64_t word) {
    a = (a ^ word) * 0x2545F4914F6CDD1Dull;
    a ^= a >> 29;
    b = (b + word) * 0x9FB21C651E98DF25ull;
    b ^= b >> 32;
  }
  void Add(std::string_view text);
  void Add(const Value& value);
  bool operator==(const ContentHash&) const = default;

  // For containers.
  struct Use {
    size_t operator()(const ContentHash& hash) const { return hash.a; }
  };
};

}  // namespace coppice::json
