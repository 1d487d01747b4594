#include "server/wire/request_info.h"

#include <algorithm>

#include "api/selectors/field_selector.h"
#include "server/model/lower_case.h"
#include "server/wire/options.h"

namespace coppice::server {
namespace {

// Of a request that names an object.
std::string VerbOf(std::string_view method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  return method == "DELETE" ? "delete" : "";
}

// The name that a field selector demands, where it could be one.
std::string DemandedName(const http::Query& query) {
  const auto selector = api::FieldSelector::Parse(query.Get("fieldSelector"));
  const std::string* name = selector ? selector->Demanded("metadata.name") : nullptr;
  const bool usable =
      name && *name != "." && *name != ".." && name->find_first_of("/%") == name->npos;
  return usable ? *name : std::string();
}

// What follows the prefix: [namespaces NS] RESOURCE [NAME [SUBRESOURCE […]]]. The subresources of
// namespaces look like resources in one.
void ReadResource(std::vector<std::string> rest, RequestInfo& info) {
  if (rest[0] == "namespaces" && rest.size() > 1) {
    info.ns = rest[1];
    info.in_namespace = rest.size() > 2 && rest[2] != "status" && rest[2] != "finalize";
    if (info.in_namespace) rest.erase(rest.begin(), rest.begin() + 2);
  }
  info.resource = rest[0];
  if (rest.size() > 1) info.name = rest[1];
  if (rest.size() > 2 && info.prefix != "proxy") info.subresource = rest[2];
  info.parts = std::move(rest);
}

// Without a name, the verb is about the whole collection.
void ReadCollectionVerb(const http::Query& query, RequestInfo& info) {
  if (!info.name.empty()) return;
  if (info.verb == "delete") info.verb = "deletecollection";
  if (info.verb != "get") return;
  info.verb = IsTrue(query, "watch") ? "watch" : "list";
  info.name = DemandedName(query);
}

}  // namespace

std::vector<std::string> SplitPath(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    parts.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

RequestInfo RequestInfo::Parse(std::string_view method, std::string_view path,
                               const http::Query& query) {
  RequestInfo info;
  info.method = method;
  info.path = path;
  const std::vector<std::string> parts = SplitPath(path);
  const bool core = parts.size() >= 3 && parts[0] == "api";
  const bool grouped = parts.size() >= 4 && parts[0] == "apis";
  if (!core && !grouped) {
    info.verb = LowerCase(method);
    return info;
  }
  info.is_resource = true;
  auto at = parts.begin() + 1;
  if (grouped) info.group = *at++;
  info.version = *at++;
  info.verb = VerbOf(method);
  if ((*at == "watch" || *at == "proxy") && at + 1 != parts.end()) {
    info.verb = info.prefix = *at++;
  }
  ReadResource({at, parts.end()}, info);
  ReadCollectionVerb(query, info);
  return info;
}

}  // namespace coppice::server
