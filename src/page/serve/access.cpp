#include "page/serve/access.h"

#include <fmt/format.h>

#include <algorithm>

#include "http/crypto/crypto.h"

namespace coppice::page {
namespace {

constexpr std::string_view kToken = "token";

http::Response Refusal(int status, std::string_view text) {
  return http::Response::Make(status, "text/plain; charset=utf-8", std::string(text) + "\n");
}

// Takes as long whatever differs.
bool SameSecret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

// "localhost" of "localhost:8080", "[::1]" of "[::1]:8080".
std::string_view WithoutPort(std::string_view host) {
  const size_t colon = host.rfind(':');
  const size_t bracket = host.rfind(']');
  if (colon == host.npos || (bracket != host.npos && colon < bracket)) return host;
  return host.substr(0, colon);
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

Access::Access(std::string token, std::vector<std::string> hosts, uint16_t port)
    : token_(std::move(token)),
      hosts_(std::move(hosts)),
      cookie_(fmt::format("coppice-page-{}", port)) {}

bool Access::KnowsHost(std::string_view host) const {
  std::string_view name = WithoutPort(host);
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return std::find(hosts_.begin(), hosts_.end(), name) != hosts_.end();
}

// Browsers say who asks: by Sec-Fetch-Site, older ones by Origin. Other programs say neither.
bool Access::IsOwnSite(const http::Request& request) const {
  const std::string_view origin = request.headers.Get("origin");
  if (!origin.empty()) {
    const size_t scheme = origin.find("://");
    if (scheme == origin.npos) return false;
    if (origin.substr(scheme + 3) != request.headers.Get("host")) return false;
  }
  const std::string_view site = request.headers.Get("sec-fetch-site");
  if (site.empty() || site == "same-origin" || site == "none") return true;
  // A link on another site may lead here; it shows nothing, because no cookie comes with it.
  return request.headers.Get("sec-fetch-mode") == "navigate";
}

bool Access::HasCookie(const http::Request& request) const {
  const std::string all = request.headers.Joined("cookie");
  std::string_view rest = all;
  while (!rest.empty()) {
    const size_t end = rest.find_first_of(";,");
    const std::string_view pair = Trim(rest.substr(0, end));
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    const size_t equals = pair.find('=');
    if (equals == pair.npos || pair.substr(0, equals) != cookie_) continue;
    if (SameSecret(pair.substr(equals + 1), token_)) return true;
  }
  return false;
}

http::Response Access::Welcome(const http::Request& request) const {
  http::Query rest;
  for (const auto& [name, value] : request.query.items()) {
    if (name != kToken) rest.Add(name, value);
  }
  // A path that begins with two slashes would lead to another host.
  std::string target = request.path.starts_with("//") ? "/" : request.path;
  if (!rest.empty()) target += "?" + rest.Encode();
  http::Response response = Refusal(303, "see " + target);
  response.headers.Set("location", target);
  response.headers.Set("set-cookie",
                       fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_, token_));
  response.headers.Set("cache-control", "no-store");
  return response;
}

std::optional<http::Response> Access::Check(const http::Request& request) const {
  if (request.method != "GET" && request.method != "HEAD") {
    http::Response response = Refusal(405, "only GET is allowed: the page changes nothing");
    response.headers.Set("allow", "GET, HEAD");
    return response;
  }
  if (!KnowsHost(request.headers.Get("host"))) {
    return Refusal(421, "this address is not served here; open the URL that coppice printed");
  }
  if (!IsOwnSite(request)) return Refusal(403, "requests from other sites are refused");
  if (token_.empty()) return std::nullopt;
  if (SameSecret(request.query.Get(kToken), token_)) return Welcome(request);
  if (HasCookie(request)) return std::nullopt;
  return Refusal(401,
                 "open the URL that coppice printed: the token in it is missing here, or it is of "
                 "an earlier run");
}

std::string Access::EntryPath() const {
  return token_.empty() ? "/" : fmt::format("/?{}={}", kToken, token_);
}

std::string NewToken() {
  std::string out;
  for (const char byte : http::RandomBytes(16)) {
    out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return out;
}

}  // namespace coppice::page
