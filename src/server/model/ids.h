#pragma once

#include <cstdint>
#include <mutex>
#include <random>
#include <string>

namespace coppice::server {

// Uids and name suffixes from one seeded source: the same seed gives the same sequence.
// Thread-safe.
class IdSource {
 public:
  explicit IdSource(uint64_t seed) : random_(seed) {}

  // A version 4 UUID.
  std::string Uid();
  // Five characters that spell no words, as generateName appends them.
  std::string Suffix();

 private:
  uint64_t Next();

  std::mutex mutex_;  // Guards random_.
  std::mt19937_64 random_;
};

}  // namespace coppice::server
