#include "server/model/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

namespace coppice::server {
namespace {

constexpr std::array<unsigned char, 12> kV4Prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

}  // namespace

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  const std::string terminated(text);
  IpAddress address;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes_.data()) == 1) return address;
  std::ranges::copy(kV4Prefix, address.bytes_.begin());
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes_.data() + 12) == 1) return address;
  return std::nullopt;
}

bool IpAddress::is_v4() const {
  return std::equal(kV4Prefix.begin(), kV4Prefix.end(), bytes_.begin());
}

bool IpAddress::IsUnspecified() const {
  const auto from = bytes_.begin() + (is_v4() ? 12 : 0);
  return std::all_of(from, bytes_.end(), [](unsigned char byte) { return byte == 0; });
}

bool IpAddress::IsLoopback() const { return is_v4() ? bytes_[12] == 127 : *this == *Parse("::1"); }

bool IpAddress::IsLinkLocal() const {
  if (is_v4()) return bytes_[12] == 169 && bytes_[13] == 254;
  return bytes_[0] == 0xfe && (bytes_[1] & 0xc0) == 0x80;
}

bool IpAddress::IsLinkLocalMulticast() const {
  if (is_v4()) return bytes_[12] == 224 && bytes_[13] == 0 && bytes_[14] == 0;
  return bytes_[0] == 0xff && (bytes_[1] & 0x0f) == 0x02;
}

}  // namespace coppice::server
