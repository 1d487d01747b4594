#pragma once

#include <string>

#include "server/model/user.h"

namespace coppice::server {

// The attributes of a request that authorization checks.
struct Attributes {
  std::string verb;
  bool is_resource = true;
  std::string group;
  std::string resource;
  std::string subresource;
  std::string name;
  std::string ns;
  std::string path;            // For non-resource requests.
  std::string field_selector;  // Of a list, watch or deletecollection.

  // "pods/log".
  std::string FullResource() const {
    return subresource.empty() ? resource : resource + "/" + subresource;
  }
};

}  // namespace coppice::server
