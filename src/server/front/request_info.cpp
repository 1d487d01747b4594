#include "server/front/request_info.h"

#include <algorithm>
#include <vector>

#include "server/lower_case.h"

namespace coppice::server {
namespace {

std::string VerbFor(std::string_view method, bool named, bool watch) {
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return named ? "delete" : "deletecollection";
  if (method != "GET" && method != "HEAD") return LowerCase(method);
  if (named) return "get";
  return watch ? "watch" : "list";
}

// What follows the group and version: [namespaces NS] RESOURCE [NAME [SUBRESOURCE]].
void ReadResource(std::vector<std::string> rest, RequestInfo& info) {
  if (rest.size() >= 2 && rest[0] == "namespaces") {
    const bool below = rest.size() > 2 && rest[2] != "status" && rest[2] != "finalize";
    info.ns = rest[1];
    if (below) rest.erase(rest.begin(), rest.begin() + 2);
  }
  if (!rest.empty()) info.resource = rest[0];
  if (rest.size() > 1) info.name = rest[1];
  for (size_t i = 2; i < rest.size(); ++i) {
    if (i > 2) info.subresource += "/";
    info.subresource += rest[i];
  }
}

}  // namespace

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    if (slash > 0) parts.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

RequestInfo RequestInfo::Parse(std::string_view method, std::string_view path, bool watch,
                               std::string_view field_name) {
  RequestInfo info;
  info.path = path;
  std::vector<std::string> parts = SplitPath(path);
  const bool core = parts.size() >= 3 && parts[0] == "api";
  const bool grouped = parts.size() >= 4 && parts[0] == "apis";
  if (!core && !grouped) {
    info.verb = LowerCase(method);
    return info;
  }
  info.is_resource = true;
  size_t at = 1;
  if (grouped) info.group = parts[at++];
  info.version = parts[at++];
  // The old form of watches: /api/v1/watch/pods.
  if (parts[at] == "watch" && parts.size() > at + 1) {
    watch = true;
    ++at;
  }
  ReadResource({parts.begin() + static_cast<std::ptrdiff_t>(at), parts.end()}, info);
  const bool old_named_watch = at > (grouped ? 3u : 2u) && !info.name.empty();
  info.verb = old_named_watch ? "watch" : VerbFor(method, !info.name.empty(), watch);
  if (info.name.empty() && (info.verb == "list" || info.verb == "watch")) info.name = field_name;
  return info;
}

}  // namespace coppice::server
