#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/message.h"

namespace coppice::page {

// Who may read the page. It shows what its owner may see of a cluster, so that other users of the
// machine and other sites in the browser must not read it:
// - a request must have the cookie that the first visit with the token in the URL sets;
// - its Host must be one of ours, or a site could rebind its name to this machine;
// - a request that another site's page makes is refused, cookie or not.
// Immutable, so thread-safe.
class Access {
 public:
  // `hosts`: names and addresses without a port. An empty token admits everyone.
  Access(std::string token, std::vector<std::string> hosts, uint16_t port);

  // The answer to a request that is not let in; or that brings the token, which sets the cookie and
  // leads to the same URL without it. nullopt: let in.
  std::optional<http::Response> Check(const http::Request& request) const;

  // "/?token=…": for the URL that is printed.
  std::string EntryPath() const;

 private:
  bool KnowsHost(std::string_view host) const;
  bool IsOwnSite(const http::Request& request) const;
  bool HasCookie(const http::Request& request) const;
  http::Response Welcome(const http::Request& request) const;

  const std::string token_;
  const std::vector<std::string> hosts_;
  const std::string cookie_;  // Its name: cookies do not know about ports.
};

// 32 hexadecimal digits that nobody can guess.
std::string NewToken();

}  // namespace coppice::page
