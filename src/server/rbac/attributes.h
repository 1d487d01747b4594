#pragma once

#include <string>

#include "server/model/user.h"

namespace coppice::server {

// What somebody wants to do.
struct Attributes {
  std::string verb;
  bool is_resource = true;
  std::string group;
  std::string resource;
  std::string subresource;
  std::string name;
  std::string ns;
  std::string path;  // Of requests that are not about resources.

  // "pods/log".
  std::string FullResource() const {
    return subresource.empty() ? resource : resource + "/" + subresource;
  }
};

}  // namespace coppice::server
