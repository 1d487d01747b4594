#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace coppice::server {

// What a request means to the API: the attributes that authorization, audit and routing look at,
// read from path, method and query once. Reads them as kube-apiserver does, so that a path that
// means something else to one than to the other does not exist.
struct RequestInfo {
  bool is_resource = false;
  std::string method;
  // "get", "list", "watch", …; "" for a method that is none of the API's. The lower-case method
  // for other paths.
  std::string verb;
  std::string group;
  std::string version;
  std::string ns;
  std::string resource;
  std::string subresource;
  std::string name;  // From the path, or else the one that a field selector demands.
  std::string path;

  // The form of the path, which routing compares with what is served.
  std::string prefix;         // "watch" of /api/v1/watch/pods; "" for none.
  bool in_namespace = false;  // A namespace stands before the resource.
  // What follows the group, the version and the namespace: RESOURCE [NAME [SUBRESOURCE […]]].
  std::vector<std::string> parts;

  static RequestInfo Parse(std::string_view method, std::string_view path,
                           const http::Query& query);
};

// The parts between slashes; slashes at both ends do not count.
std::vector<std::string> SplitPath(std::string_view path);

}  // namespace coppice::server
