#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace coppice::engine {

// The index of the order with that name in a list of orders (JobOrders, TaskOrders); -1 if there is
// none.
template <typename Orders>
constexpr int PositionOf(std::string_view name) {
  int found = -1;
  [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
    ((std::tuple_element_t<kIndex, Orders>::kName == name ? (found = static_cast<int>(kIndex)) : 0),
     ...);
  }(std::make_index_sequence<std::tuple_size_v<Orders>>());
  return found;
}

// The result of the first chosen order that distinguishes the two; 0 if none does. Orders are
// called by their type, so a comparison costs only its branches.
template <typename Orders, typename T>
int CompareBy(const std::vector<uint8_t>& chosen, const T& l, const T& r) {
  for (const uint8_t position : chosen) {
    int order = 0;
    [&]<size_t... kIndex>(std::index_sequence<kIndex...>) {
      ((position == kIndex &&
        (order = std::tuple_element_t<kIndex, Orders>::Compare(l, r), true)) ||
       ...);
    }(std::make_index_sequence<std::tuple_size_v<Orders>>());
    if (order != 0) return order;
  }
  return 0;
}

}  // namespace coppice::engine
