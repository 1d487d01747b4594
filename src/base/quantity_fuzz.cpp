#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/quantity.h"

// The canonical form of what parses is a quantity of the same value, and its own canonical form.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using coppice::base::Quantity;
  const auto quantity = Quantity::Parse({reinterpret_cast<const char*>(data), size});
  if (!quantity) return 0;
  const std::string canonical = quantity->ToString();
  const auto again = Quantity::Parse(canonical);
  if (!again || !(*again == *quantity) || again->ToString() != canonical) std::abort();
  return 0;
}
