#include "cli/allocator.h"

#include <malloc.h>

namespace coppice::cli {
namespace {

constexpr int kGrowBy = 1 << 20;
constexpr int kGiveBackFrom = 64 << 20;

}  // namespace

void SetUpAllocator() {
  mallopt(M_TOP_PAD, kGrowBy);
  mallopt(M_TRIM_THRESHOLD, kGiveBackFrom);
  // Setting any of them ends the automatic choice of this one.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

}  // namespace coppice::cli
