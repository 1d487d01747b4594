#pragma once

#include <string>

#include "http/own_addresses.h"
#include "server/model/ip_address.h"

namespace coppice::server {

// An address of this machine as Endpoints take it: not loopback. "" where there is none, on a
// machine without any network.
inline std::string OutsideAddress() {
  for (const std::string& own : http::OwnAddresses()) {
    const auto address = IpAddress::Parse(own);
    if (address && address->is_v4() && !address->IsLoopback() && !address->IsLinkLocal()) {
      return own;
    }
  }
  return "";
}

}  // namespace coppice::server
