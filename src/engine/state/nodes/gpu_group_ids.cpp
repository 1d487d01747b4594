#include "engine/state/nodes/gpu_group_ids.h"

#include <fmt/format.h>

namespace coppice::engine {
namespace {

// A round of a 64-bit mixer.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

NameId GpuGroupIds::Draw(Journal& journal) {
  journal.Save(drawn_);
  NameId id = Next();
  while (known_.contains(id)) id = Next();
  return id;
}

// Two rounds over seed and counter, written as a version 4 UUID.
NameId GpuGroupIds::Next() {
  ++drawn_;
  const uint64_t high = Mix(Mix(seed_) ^ drawn_), low = Mix(high ^ drawn_);
  return names_.Intern(fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32,
                                   high >> 16 & 0xffff, high & 0xfff, (low >> 48 & 0x3fff) | 0x8000,
                                   low & 0xffffffffffff));
}

}  // namespace coppice::engine
