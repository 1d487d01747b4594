#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice::server {

// What a path and a method mean to the API: the attributes that authorization, audit and routing
// look at.
struct RequestInfo {
  bool is_resource = false;
  std::string verb;  // "get", "list", "watch", …; the lower-case method for other paths.
  std::string group;
  std::string version;
  std::string ns;
  std::string resource;
  std::string subresource;
  std::string name;
  std::string path;

  // `watch`: the query asked for a watch; `field_name`: the name a field selector demands.
  static RequestInfo Parse(std::string_view method, std::string_view path, bool watch,
                           std::string_view field_name = {});
};

// The parts between slashes, without empty ones.
std::vector<std::string> SplitPath(std::string_view path);

}  // namespace coppice::server
