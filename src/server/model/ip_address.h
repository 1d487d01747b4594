#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string_view>

namespace coppice::server {

// An IPv4 or IPv6 address. IPv4-mapped IPv6 addresses equal their IPv4 form.
class IpAddress {
 public:
  static std::optional<IpAddress> Parse(std::string_view text);

  bool is_v4() const;
  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsLinkLocal() const;
  bool IsLinkLocalMulticast() const;

  auto operator<=>(const IpAddress&) const = default;

 private:
  // As IPv6 has it; an IPv4 address after ten zeros and ff, ff.
  std::array<unsigned char, 16> bytes_{};
};

}  // namespace coppice::server
