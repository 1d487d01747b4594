#include "http/own_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <unistd.h>

#include <memory>

namespace coppice::http {
namespace {

std::string AddressText(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address == nullptr) return "";
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
  } else if (address->sa_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
    inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
  }
  return text;
}

}  // namespace

std::vector<std::string> OwnAddresses() {
  std::vector<std::string> names;
  char host[256] = "";
  if (gethostname(host, sizeof host - 1) == 0 && *host != 0) names.emplace_back(host);
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return names;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(first, &freeifaddrs);
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    if (std::string text = AddressText(each->ifa_addr); !text.empty())
      names.push_back(std::move(text));
  }
  return names;
}

}  // namespace coppice::http
