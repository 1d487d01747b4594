#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace coppice::engine {

// A textbook array heap whose exact steps are part of the behaviour: sifting down prefers the left
// child unless the right one is strictly less; sifting up stops unless strictly less.

template <typename T, typename Less>
void HeapUp(std::vector<T>& heap, size_t at, Less less) {
  while (at > 0) {
    const size_t parent = (at - 1) / 2;
    if (!less(heap[at], heap[parent])) break;
    std::swap(heap[at], heap[parent]);
    at = parent;
  }
}

template <typename T, typename Less>
void HeapDown(std::vector<T>& heap, size_t at, size_t size, Less less) {
  while (true) {
    size_t child = 2 * at + 1;
    if (child >= size) break;
    if (child + 1 < size && less(heap[child + 1], heap[child])) ++child;
    if (!less(heap[child], heap[at])) break;
    std::swap(heap[at], heap[child]);
    at = child;
  }
}

template <typename T, typename Less>
void HeapPush(std::vector<T>& heap, T item, Less less) {
  heap.push_back(std::move(item));
  HeapUp(heap, heap.size() - 1, less);
}

template <typename T, typename Less>
T HeapPop(std::vector<T>& heap, Less less) {
  std::swap(heap.front(), heap.back());
  HeapDown(heap, 0, heap.size() - 1, less);
  T item = std::move(heap.back());
  heap.pop_back();
  return item;
}

}  // namespace coppice::engine
