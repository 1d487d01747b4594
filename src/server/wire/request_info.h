#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace coppice::server {

// The attributes of a request for authorization, audit and routing, parsed once from path, method
// and query. Parses exactly like kube-apiserver, so that no path means different things to the two.
struct RequestInfo {
  bool is_resource = false;
  std::string method;
  // "get", "list", "watch", …; "" for a method that the API does not use. The lower-case method for
  // other paths.
  std::string verb;
  std::string group;
  std::string version;
  std::string ns;
  std::string resource;
  std::string subresource;
  std::string name;  // From the path, or else from the field selector.
  std::string path;

  // The form of the path, for routing.
  std::string prefix;         // "watch" of /api/v1/watch/pods; "" for none.
  bool in_namespace = false;  // The path has a namespace before the resource.
  // What follows the group, the version and the namespace: RESOURCE [NAME [SUBRESOURCE […]]].
  std::vector<std::string> parts;

  static RequestInfo Parse(std::string_view method, std::string_view path,
                           const http::Query& query);
};

// The parts between slashes; slashes at both ends do not count.
std::vector<std::string> SplitPath(std::string_view path);

}  // namespace coppice::server
