#include "engine/order/heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace coppice::engine {
namespace {

TEST(Heap, PopsInOrder) {
  std::vector<int> heap;
  for (int i : {5, 3, 8, 1, 9, 2}) HeapPush(heap, i, std::less<>());
  std::vector<int> popped;
  while (!heap.empty()) popped.push_back(HeapPop(heap, std::less<>()));
  EXPECT_TRUE(std::is_sorted(popped.begin(), popped.end()));
}

// Equal items stay in place: their position is part of the behaviour.
TEST(Heap, EqualItemsDoNotMove) {
  std::vector<std::pair<int, int>> heap{{1, 0}, {1, 1}, {1, 2}};
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  HeapDown(heap, 0, heap.size(), less);
  HeapPush(heap, {1, 3}, less);
  EXPECT_EQ(heap, (std::vector<std::pair<int, int>>{{1, 0}, {1, 1}, {1, 2}, {1, 3}}));
}

}  // namespace
}  // namespace coppice::engine
