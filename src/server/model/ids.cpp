#include "server/model/ids.h"

namespace coppice::server {
namespace {

// The lowest digits of `bits`, at the end of `text` first.
void PutHex(uint64_t bits, size_t digits, char* text) {
  for (; digits > 0; bits >>= 4) text[--digits] = "0123456789abcdef"[bits & 0xf];
}

}  // namespace

uint64_t IdSource::Next() {
  std::lock_guard lock(mutex_);
  return random_();
}

std::string IdSource::Uid() {
  const uint64_t high = Next();
  const uint64_t low = Next();
  std::string uid = "00000000-0000-4000-0000-000000000000";
  PutHex(high >> 32, 8, &uid[0]);
  PutHex(high >> 16, 4, &uid[9]);
  PutHex(high, 3, &uid[15]);
  PutHex(0x8000 | ((low >> 48) & 0x3fff), 4, &uid[19]);
  PutHex(low, 12, &uid[24]);
  return uid;
}

std::string IdSource::Suffix() {
  static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  uint64_t bits = Next();
  std::string suffix;
  for (int i = 0; i < 5; ++i, bits /= kAlphabet.size()) {
    suffix.push_back(kAlphabet[bits % kAlphabet.size()]);
  }
  return suffix;
}

}  // namespace coppice::server
