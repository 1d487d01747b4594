#include "cli/address.h"

#include <fmt/format.h>

#include <charconv>

namespace coppice::cli {

base::Result<Address> ParseAddress(std::string_view text) {
  Address address;
  const size_t colon = text.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) {
    return base::InvalidArgument(fmt::format("\"{}\" is not ADDRESS:PORT", text));
  }
  address.host = colon == 0 ? "0.0.0.0" : std::string(text.substr(0, colon));
  return address;
}

}  // namespace coppice::cli
