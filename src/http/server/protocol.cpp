#include "http/server/protocol.h"

#include <algorithm>

namespace coppice::http {

base::Status SplitTarget(Request& request) {
  std::string_view target = request.target;
  if (!target.starts_with('/')) {
    // Absolute form, as proxies send it; what follows the authority counts.
    const size_t scheme = target.find("://");
    const size_t slash = scheme == target.npos ? target.npos : target.find('/', scheme + 3);
    if (slash == target.npos) return base::InvalidArgument("the request target is not a path");
    target.remove_prefix(slash);
  }
  target = target.substr(0, target.find('#'));
  const size_t question = target.find('?');
  COPPICE_ASSIGN(request.path, DecodeUrl(target.substr(0, question)));
  if (question != target.npos) request.raw_query = std::string(target.substr(question + 1));
  request.query = Query::Parse(request.raw_query);
  const bool valid = IsValidUtf8(request.path) && request.path.find('\0') == std::string::npos;
  if (!valid) return base::InvalidArgument("the request path is not valid UTF-8");
  for (const auto& [name, value] : request.query.items()) {
    if (!IsValidUtf8(name) || !IsValidUtf8(value)) {
      return base::InvalidArgument("the query is not valid UTF-8");
    }
  }
  return {};
}

bool AcceptsGzip(const Headers& headers) {
  const std::string accepted = headers.Joined("accept-encoding");
  const size_t at = accepted.find("gzip");
  if (at == std::string::npos) return false;
  const std::string_view after = std::string_view(accepted).substr(at + 4);
  return !after.substr(0, after.find(',')).ends_with("q=0");
}

std::string SafeHeaderValue(std::string_view value) {
  std::string safe(value);
  std::replace_if(
      safe.begin(), safe.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  return safe;
}

}  // namespace coppice::http
