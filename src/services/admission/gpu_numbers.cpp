#include "services/admission/gpu_numbers.h"

#include <charconv>
#include <cstdint>

#include "base/quantity.h"

namespace coppice::services::admission {

bool IsPositiveInteger(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0;
}

bool IsFraction(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  return value > 0 && value < 1 && base::Quantity::Parse(text).ok();
}

}  // namespace coppice::services::admission
