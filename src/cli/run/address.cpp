#include "cli/run/address.h"

#include <fmt/format.h>

#include <charconv>

namespace coppice::cli {
namespace {

std::string Host(std::string_view text) {
  if (text.empty()) return "0.0.0.0";
  if (text == "localhost") return "127.0.0.1";
  const bool brackets = text.size() > 2 && text.front() == '[' && text.back() == ']';
  return std::string(brackets ? text.substr(1, text.size() - 2) : text);
}

}  // namespace

base::Result<Address> ParseAddress(std::string_view text) {
  Address address;
  const size_t colon = text.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) {
    return base::InvalidArgument(fmt::format("\"{}\" is not ADDRESS:PORT", text));
  }
  address.host = Host(text.substr(0, colon));
  return address;
}

}  // namespace coppice::cli
