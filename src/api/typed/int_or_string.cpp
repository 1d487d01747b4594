#include "api/typed/int_or_string.h"

#include <fmt/format.h>

#include <charconv>

namespace coppice::api {

base::Result<IntOrString> IntOrString::FromJson(const json::Value& value) {
  if (value.IsString()) return IntOrString(value.ToString());
  if (value.IsInt()) return IntOrString(value.AsInt());
  return base::InvalidArgument("must be an integer or a string");
}

json::Value IntOrString::ToJson() const {
  if (IsInt()) return std::get<0>(held_);
  return std::get<1>(held_);
}

base::Result<int64_t> IntOrString::Scaled(int64_t total, bool round_up) const {
  if (IsInt()) return std::get<0>(held_);
  const std::string& text = std::get<1>(held_);
  int64_t percent = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, percent);
  if (error != std::errc() || end + 1 != last || *end != '%') {
    return base::InvalidArgument(
        fmt::format("invalid value for IntOrString: invalid type: string is not a percentage: "
                    "\"{}\"",
                    text));
  }
  const int64_t hundredths = percent * total;
  return round_up ? (hundredths + 99) / 100 : hundredths / 100;
}

}  // namespace coppice::api
