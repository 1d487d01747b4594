#include "server/ids.h"

#include <fmt/format.h>

namespace coppice::server {

uint64_t IdSource::Next() {
  std::lock_guard lock(mutex_);
  return random_();
}

std::string IdSource::Uid() {
  const uint64_t high = Next();
  const uint64_t low = Next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xfff, 0x8000 | ((low >> 48) & 0x3fff), low & 0xffffffffffff);
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
