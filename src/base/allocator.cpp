#include "base/allocator.h"

#include <malloc.h>

#include <algorithm>
#include <thread>

namespace coppice::base {
namespace {

constexpr int kGrowBy = 1 << 20;
// Of each arena.
constexpr int kGiveBackFrom = 8 << 20;
constexpr int kFewArenas = 4;

}  // namespace

void SetUpAllocator() {
  mallopt(M_TOP_PAD, kGrowBy);
  mallopt(M_TRIM_THRESHOLD, kGiveBackFrom);
  // Setting any of them ends the automatic choice of this one.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  // What one thread allocates another often frees: every further arena holds memory that it cannot
  // use.
  mallopt(M_ARENA_MAX, std::max(kFewArenas, static_cast<int>(std::thread::hardware_concurrency())));
}

void GiveMemoryBack() { malloc_trim(kGrowBy); }

}  // namespace coppice::base
